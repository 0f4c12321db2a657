"""Where one looks: zoom, scrolling, fitting. A fit glides there on the canvas clock."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple

from PySide6.QtCore import QObject, QPoint, QPointF, QRectF, QSize, QTimer, Signal
from PySide6.QtGui import QTransform
from PySide6.QtWidgets import QGraphicsView

from designer.canvas.clock import GLIDE_MS, Clock
from designer.canvas.drawing.scene import CanvasScene
from designer.canvas.drawing.style import COMPACT, FULL

# how far one can zoom by hand
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
CATCH = 0.03  # how near to such a zoom, as a share of it
NOTHING_DRAWN = QRectF(-400, -300, 800, 600)


class Place(NamedTuple):
    """Where one looks: how near, at what, and whether that was everything."""

    zoom: float
    centre: QPointF
    whole: bool


class Fitted(NamedTuple):
    """How everything was fitted: the zoom, the scroll bars, and the size of the view."""

    zoom: float
    scrolled: QPoint
    size: QSize


class Camera(QObject):
    """Moves a view over its scene.

    moved    the zoom or the place is another
    zoomed   the zoom is another: 1.0 for 100 %
    """

    moved = Signal()
    zoomed = Signal(float)

    def __init__(self, view: QGraphicsView, scene: CanvasScene, clock: Clock) -> None:
        super().__init__(view)
        self._view = view
        self._scene = scene
        self._clock = clock
        # a fit that waits for the view to have a size
        self._pending_fit: QRectF | None = None
        # the last fit of everything, until somebody looks elsewhere
        self._fitted: Fitted | None = None
        self._refit = QTimer(view, singleShot=True, interval=0)
        self._refit.timeout.connect(self._fit_again)
        # the zoom to which small steps of a wheel have led, and the one that was shown
        self._turned = 1.0
        self._caught = 1.0

    @property
    def zoom(self) -> float:
        return self._view.transform().m11()

    def seen(self) -> QRectF:
        """Return the part of the scene that is in view."""
        view = self._view
        return view.mapToScene(view.viewport().rect()).boundingRect()

    def centre(self) -> QPointF:
        """Return the place of the scene in the middle of the view."""
        return self._view.mapToScene(self._view.viewport().rect().center())

    # --- zooming and scrolling

    def zoom_by(self, factor: float, at: QPoint | None = None) -> None:
        """Zoom around a point of the viewport, or around its middle.

        Many small factors lead where one large one does.
        """
        zoom = self.zoom
        if zoom == self._caught:
            # A fine wheel takes many steps for one of a coarse wheel. They must lead
            # out of a zoom that catches, so they go on from where they have led unseen.
            zoom = self._turned
        self.zoom_to(zoom * factor, at)

    def zoom_to(self, zoom: float, at: QPoint | None = None) -> None:
        """Zoom around a point of the viewport, or around its middle."""
        view = self._view
        self._clock.finish("camera")
        self._refit.stop()
        self._pending_fit = None
        anchor = at if at is not None else view.viewport().rect().center()
        fixed = view.mapToScene(anchor)
        # A fit may have zoomed further out than one can by hand.
        least = min(LEAST, self.zoom)
        self._turned = min(max(zoom, least), MOST)
        self._apply(_settled(self._turned))
        self._caught = self.zoom
        self.scroll(view.mapFromScene(fixed) - anchor)

    def scroll(self, step: QPoint) -> None:
        """Move the view over the drawing, in px."""
        across = self._view.horizontalScrollBar()
        across.setValue(across.value() + step.x())
        down = self._view.verticalScrollBar()
        down.setValue(down.value() + step.y())
        self.moved.emit()

    def stay(self, step: QPoint) -> None:
        """Scroll by as much as the view itself has moved: the drawing stays where it
        is, so what was fitted counts as fitted.
        """
        was_fitted = self._is_as_fitted()
        self.scroll(step)
        if self._fitted is not None and was_fitted:
            self._fitted = self._fitted._replace(scrolled=self._scrolled())

    def look_at(self, point: QPointF) -> None:
        """Bring a point into the middle."""
        self._view.centerOn(point)
        self.moved.emit()

    # --- places to come back to

    def place(self) -> Place:
        """Return where one looks."""
        return Place(self.zoom, self.centre(), self._sees_all())

    def _sees_all(self) -> bool:
        return self.seen().contains(self._scene.drawing_rect())

    def go_to(self, place: Place) -> None:
        """Look where one looked before, without a glide.

        If that was everything, and not all of it is in view any more, fit everything.
        """
        self._clock.finish("camera")
        self._pending_fit = None
        self._apply(place.zoom)
        self.look_at(place.centre)
        if place.whole and not self._sees_all():
            self.fit_all(glide=False)

    # --- bringing something into view

    def reveal(self, rect: QRectF) -> None:
        """Scroll only when it is not wholly in view: as little as needed, or, from far
        away, to the middle.
        """
        seen = self.seen()
        if seen.contains(rect):
            return
        zoom = self.zoom
        room = REVEAL_ROOM / zoom
        area = rect.adjusted(-room, -room, room, BOTTOM_ROOM / zoom)
        fits = area.width() <= seen.width() and area.height() <= seen.height()
        width = seen.width()
        height = seen.height()
        is_near = seen.intersects(rect.adjusted(-width, -height, width, height))
        if not fits or not is_near:
            self._glide(zoom, rect.center())
            return
        right = max(0.0, area.right() - seen.right())
        left = min(0.0, area.left() - seen.left())
        below = max(0.0, area.bottom() - seen.bottom())
        above = min(0.0, area.top() - seen.top())
        self._glide(zoom, self.centre() + QPointF(right + left, below + above))

    def approach(self, rect: QRectF) -> None:
        """Bring it into view so large that its words can be read, or as large as all of
        it can be.
        """
        zoom = self._fitting(rect, FIT_ROOM)
        if self.zoom > FULL or self.zoom >= zoom:
            self.reveal(rect)
        else:
            self._glide(zoom, rect.center())

    # --- fitting

    def fit_all(self, *, glide: bool = True) -> None:
        """Show the whole drawing."""
        self.fit(self._scene.drawing_rect(), glide=glide)

    def fit_things(self, ids: Collection[str]) -> None:
        """Show these nodes, edge groups and frames, or the whole drawing for none."""
        self.fit(self._scene.drawing_rect(ids))

    def fit(self, rect: QRectF, *, glide: bool = True) -> None:
        """Show all of a rectangle, never larger than 100 %."""
        if rect.isEmpty():
            rect = NOTHING_DRAWN
        is_visible = self._view.isVisible()
        if not is_visible:
            self._pending_fit = rect
        zoom = self._fitting(rect, FIT_ROOM)
        closer = self._fitting(rect, TIGHT_ROOM)
        for readable in (FULL, COMPACT):
            if zoom <= readable < closer:
                # A narrower rim is less of a loss than all words.
                zoom = min(readable + 0.01, closer)
        centre = rect.center() + QPointF(0, (BOTTOM_ROOM - FIT_ROOM) / 2 / zoom)
        if glide and is_visible:
            self._glide(max(zoom, FIT_LEAST), centre, rect)
        else:
            self._clock.finish("camera")
            self._apply(zoom)
            self.look_at(centre)
            self._note_fit(rect)

    def _fitting(self, rect: QRectF, rim: int) -> float:
        """Return the zoom at which a rectangle fits, with so many px around it."""
        room = self._view.viewport().size()
        width = max(room.width() - 2 * rim, 50)
        height = max(room.height() - rim - BOTTOM_ROOM, 50)
        return min(1.0, width / rect.width(), height / rect.height())

    def _note_fit(self, rect: QRectF) -> None:
        """Remember a fit of everything, to repeat it when the view is resized."""
        if rect == self._scene.drawing_rect():
            size = self._view.viewport().size()
            self._fitted = Fitted(self.zoom, self._scrolled(), size)

    def _scrolled(self) -> QPoint:
        return QPoint(
            self._view.horizontalScrollBar().value(),
            self._view.verticalScrollBar().value(),
        )

    def _is_as_fitted(self) -> bool:
        """Return whether everything is fitted, and nobody has looked elsewhere since."""
        fitted = self._fitted
        if fitted is None:
            return False
        return fitted.zoom == self.zoom and fitted.scrolled == self._scrolled()

    # --- when the view gets another size

    def before_resize(self) -> None:
        """Fit everything again at the new size, if it was fitted at the old one."""
        if self._is_as_fitted():
            # Once, after all the sizes that the view has on the way to the last one.
            self._refit.start()

    def _fit_again(self) -> None:
        """Fit everything again, but move nothing when only a strip came or went."""
        fitted = self._fitted
        if fitted is None or not self._view.isVisible():
            return
        change = self._view.viewport().size() - fitted.size
        is_more = max(abs(change.width()), abs(change.height())) > STRIP
        if is_more or not self._sees_all():
            self.fit_all(glide=False)

    def shown(self) -> None:
        """Take over the size that the view may have got while it was hidden, when
        nothing is fitted.
        """
        self.before_resize()
        self.resized()

    def resized(self) -> None:
        """Do the fit that waited for the view to have a size."""
        rect = self._pending_fit
        if self._view.isVisible() and rect is not None:
            self._pending_fit = None
            self.fit(rect, glide=False)
        self.moved.emit()

    # --- moving

    def _apply(self, zoom: float) -> None:
        zoom = min(max(zoom, FIT_LEAST), MOST)
        if zoom != self.zoom:
            self._view.setTransform(QTransform.fromScale(zoom, zoom))
            self.zoomed.emit(zoom)

    def _glide(
        self, zoom: float, centre: QPointF, fitted: QRectF | None = None
    ) -> None:
        """Move to a zoom and a place; zooming by equal factors looks steady."""
        start_zoom = math.log(self.zoom)
        end_zoom = math.log(zoom)
        start_centre = self.centre()

        def step(share: float) -> None:
            if share >= 1:
                self._apply(zoom)
            else:
                self._apply(math.exp(start_zoom + (end_zoom - start_zoom) * share))
            self.look_at(start_centre + (centre - start_centre) * share)
            if share >= 1 and fitted is not None:
                self._note_fit(fitted)

        self._clock.start("camera", GLIDE_MS, step)


def _settled(zoom: float) -> float:
    """Return the zoom that catches this one, if one is near."""
    for stop in SETTLE:
        if abs(zoom / stop - 1) < CATCH:
            return stop
    return zoom
