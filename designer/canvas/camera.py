"""Where one looks: zoom, scrolling, fitting; the glide of a fit runs on the canvas clock."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, QTimer
from PySide6.QtGui import QTransform

from designer.canvas.clock import GLIDE_MS
from designer.canvas.drawing.style import COMPACT, FULL

if TYPE_CHECKING:
    from designer.canvas.view import CanvasView

# by hand
LEAST = 0.04
MOST = 4.0
FIT_LEAST = 0.002  # a fit shows all, however small that makes it
# px around what is fitted; the zoom bar needs the lower part
FIT_ROOM = 40
TIGHT_ROOM = 12
BOTTOM_ROOM = 52
STRIP = 64  # px by which the view changes when a strip above it comes or goes
REVEAL_ROOM = 24  # px between what is brought into view and the edge of the view
# zooms that catch, so that 100 % can be met with a wheel
SETTLE = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)


class Place(NamedTuple):
    """Where one looks: how near, at what, and whether that was everything."""

    zoom: float
    centre: QPointF
    whole: bool


class Fitted(NamedTuple):
    """How everything was fitted: the zoom, how far the view was scrolled for it, and how large it was."""

    zoom: float
    scrolled: QPoint
    size: QSize


class Camera:
    def __init__(self, view: CanvasView) -> None:
        self._view = view
        # a fit that waits for the view to have a size
        self._wanted: QRectF | None = None
        # as of the last fit of everything, until somebody looks elsewhere
        self._fitted: Fitted | None = None
        self._refit = QTimer(view, singleShot=True, interval=0)
        self._refit.timeout.connect(self._fit_again)
        # where small steps of a wheel have led, and the zoom that was made of it
        self._turned = self._caught = 1.0

    def zoom_by(self, factor: float, at: QPoint | None = None) -> None:
        """Around a point of the viewport, or its middle. Many small factors lead where one large one does."""
        zoom = self._view.zoom
        # A fine wheel takes many steps for one of a coarse one: they must lead out of a zoom that catches.
        self.zoom_to((self._turned if zoom == self._caught else zoom) * factor, at)

    def zoom_to(self, zoom: float, at: QPoint | None = None) -> None:
        view = self._view
        view.clock.finish("camera")
        self._refit.stop()
        self._wanted = None
        anchor = at if at is not None else view.viewport().rect().center()
        fixed = view.mapToScene(anchor)
        self._turned = min(max(zoom, min(LEAST, view.zoom)), MOST)
        self._apply(_settled(self._turned))
        self._caught = view.zoom
        moved = view.mapFromScene(fixed) - anchor
        self.scroll(moved)

    def scroll(self, step: QPoint) -> None:
        """Move the view over the drawing, in px."""
        view = self._view
        for bar, delta in (
            (view.horizontalScrollBar(), step.x()),
            (view.verticalScrollBar(), step.y()),
        ):
            bar.setValue(bar.value() + delta)
        view.floating.follow_camera()

    def stay(self, step: QPoint) -> None:
        """Scroll by as much as the view itself has moved: nobody looks elsewhere by that."""
        was_fitted = self._is_as_fitted()
        self.scroll(step)
        if self._fitted is not None and was_fitted:
            self._fitted = self._fitted._replace(scrolled=self._scrolled())

    def place(self) -> Place:
        return Place(self._view.zoom, self._view.centre(), self._sees_all())

    def _sees_all(self) -> bool:
        view = self._view
        seen = view.mapToScene(view.viewport().rect()).boundingRect()
        return seen.contains(view.scene().drawing_rect())

    def go_to(self, place: Place) -> None:
        """At once, to where one looked before; at everything, if that was seen and has no room there any more."""
        self._view.clock.finish("camera")
        self._wanted = None
        self._apply(place.zoom)
        self.look_at(place.centre)
        if place.whole and not self._sees_all():
            self.fit(self._view.scene().drawing_rect(), glide=False)

    def look_at(self, point: QPointF) -> None:
        self._view.centerOn(point)
        self._view.floating.follow_camera()

    def reveal(self, rect: QRectF) -> None:
        """Scroll only when it is not wholly in view: as little as needed, to the middle from far away."""
        view = self._view
        seen = view.mapToScene(view.viewport().rect()).boundingRect()
        if seen.contains(rect):
            return
        room = REVEAL_ROOM / view.zoom
        below = BOTTOM_ROOM / view.zoom
        wanted = rect.adjusted(-room, -room, room, below)
        fits = wanted.width() <= seen.width() and wanted.height() <= seen.height()
        if not fits or not seen.intersects(
            rect.adjusted(-seen.width(), -seen.height(), seen.width(), seen.height())
        ):
            self._glide(view.zoom, rect.center())
            return
        step = QPointF(
            max(0.0, wanted.right() - seen.right())
            + min(0.0, wanted.left() - seen.left()),
            max(0.0, wanted.bottom() - seen.bottom())
            + min(0.0, wanted.top() - seen.top()),
        )
        self._glide(view.zoom, view.centre() + step)

    def approach(self, rect: QRectF) -> None:
        """Bring it into view so large that its words can be read, or as large as it can be as a whole."""
        wanted = self._fitting(rect, FIT_ROOM)
        if self._view.zoom > FULL or self._view.zoom >= wanted:
            self.reveal(rect)
        else:
            self._glide(wanted, rect.center())

    def fit(self, rect: QRectF, *, glide: bool = True) -> None:
        """Show all of a rectangle, never larger than 100 %."""
        view = self._view
        if rect.isEmpty():
            rect = QRectF(-400, -300, 800, 600)
        if not view.isVisible():
            self._wanted = rect
        zoom = self._fitting(rect, FIT_ROOM)
        closer = self._fitting(rect, TIGHT_ROOM)
        for readable in (FULL, COMPACT):
            if zoom <= readable < closer:
                # a narrower rim is less of a loss than all words
                zoom = min(readable + 0.01, closer)
        centre = rect.center() + QPointF(0, (BOTTOM_ROOM - FIT_ROOM) / 2 / zoom)
        if glide and view.isVisible():
            self._glide(max(zoom, FIT_LEAST), centre, rect)
        else:
            view.clock.finish("camera")
            self._apply(zoom)
            self.look_at(centre)
            self._note_fit(rect)

    def _note_fit(self, rect: QRectF) -> None:
        if rect == self._view.scene().drawing_rect():
            self._fitted = Fitted(
                self._view.zoom, self._scrolled(), self._view.viewport().size()
            )

    def _scrolled(self) -> QPoint:
        return QPoint(
            self._view.horizontalScrollBar().value(),
            self._view.verticalScrollBar().value(),
        )

    def before_resize(self) -> None:
        """Whoever looks at everything, as it was fitted, does so with another size of the view."""
        if self._is_as_fitted():
            # once for all the sizes that it has on the way to the last
            self._refit.start()

    def _is_as_fitted(self) -> bool:
        fitted = self._fitted
        return fitted is not None and (fitted.zoom, fitted.scrolled) == (
            self._view.zoom,
            self._scrolled(),
        )

    def _fit_again(self) -> None:
        """A strip that comes or goes moves nothing."""
        fitted = self._fitted
        size = self._view.viewport().size()
        if fitted is None or not self._view.isVisible():
            return
        change = size - fitted.size
        if (
            max(abs(change.width()), abs(change.height())) > STRIP
            or not self._sees_all()
        ):
            self.fit(self._view.scene().drawing_rect(), glide=False)

    def _fitting(self, rect: QRectF, rim: int) -> float:
        """The zoom at which a rectangle fits, with so many px around it."""
        room = self._view.viewport().size()
        width = max(room.width() - 2 * rim, 50)
        height = max(room.height() - rim - BOTTOM_ROOM, 50)
        return min(1.0, width / rect.width(), height / rect.height())

    def shown(self) -> None:
        """It may have got another size while it was hidden, when nothing is fitted."""
        self.before_resize()
        self.resized()

    def resized(self) -> None:
        """The view has a (new) size: do the fit that waited for one."""
        view = self._view
        if view.isVisible() and self._wanted is not None:
            rect = self._wanted
            self._wanted = None
            self.fit(rect, glide=False)
        view.floating.follow_camera()

    def _apply(self, zoom: float) -> None:
        zoom = min(max(zoom, FIT_LEAST), MOST)
        if zoom != self._view.zoom:
            self._view.hurry()
            self._view.setTransform(QTransform.fromScale(zoom, zoom))
            self._view.zoom_changed.emit(zoom)

    def _glide(
        self, zoom: float, centre: QPointF, fitted: QRectF | None = None
    ) -> None:
        view = self._view
        from_zoom = math.log(view.zoom)
        from_centre = view.centre()
        to_zoom = math.log(zoom)

        def step(share: float) -> None:
            self._apply(
                zoom
                if share >= 1
                else math.exp(from_zoom + (to_zoom - from_zoom) * share)
            )
            self.look_at(from_centre + (centre - from_centre) * share)
            if share >= 1 and fitted is not None:
                self._note_fit(fitted)

        view.clock.start("camera", GLIDE_MS, step)


def _settled(zoom: float) -> float:
    return next((stop for stop in SETTLE if abs(zoom / stop - 1) < 0.03), zoom)
