"""What is typed and pasted: what people write, and what nobody should."""

from __future__ import annotations

from designer.model import files
from resources import examples

TEXTS = (
    "",
    "x",
    "入力 節点",
    "مرحبا",
    "<b>&amp;",
    "🙂",
    "x" * 300,
    "a b",
    "1e999",
    "-5",
    "{",
    '{"a": 1}',
    "[1,",
    "true",
    "state.x > 1",
    "message.size() > 3 &&",
    "{{ message.name }}",
)
CLIPS = (
    "rubbish",
    "[" * 3000,
    '{"stepwell":"clip"}',
    '{"stepwell":"clip","nodes":[{"id":"q","type":"nope","params":{"a":[1]},"more":2}]}',
    '{"stepwell":"clip","nodes":[{"id":"q","type":"nope"},{"id":"q","type":"nope"}]}',
    '{"stepwell":"clip","nodes":[{"id":"q","type":"nope"}],"positions":{"q":[1e300,-1e300]}}',
    '{"stepwell":"clip","nodes":[{"id":"q","type":"sub_workflow","params":{"workflow":{"nodes":[{"id":"q"}]}}}]}',
    '{"stepwell":"clip","frames":[{"id":"f","kind":"note","text":"x","x":0,"y":0,"width":-5,"height":1e400}]}',
    *(files.dumps(files.load(example.path)) for example in examples()[:2]),
)
