"""The aggregate as a document that anybody may have written: whatever it is, nothing raises."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from runaudit.read.values import DECODER, NonFinite
from tests.unit.layouts.aggregate_cases import CLASS, COUNTED, OLD, ONE_FAILED, TWO, found, ids, row
from tests.unit.layouts.aggregate_producer import TASK, Rules, Run, produce


@pytest.mark.parametrize(
    "value", [None, 3, "text", {"agent_metrics": {}}, NonFinite("NaN"), 10**400, UNSET, [{}] * 1025]
)
def test_a_document_that_is_no_list(value: object) -> None:
    (finding,) = found(TWO, value)
    assert (finding.id, finding.expected) == ("aggregate-unreadable", "a list of at most 1024 entries")


@pytest.mark.parametrize("name", ['"mean/reward": 0.5', f'"{TASK}": 7', '"reward": 7'])
def test_a_key_that_is_stated_twice_is_not_checked(name: str) -> None:
    entries = DECODER.decode(
        '[{"_ng_environment_server": "demo", "agent_metrics": {"mean/reward": 1.0, X}, "group_level_metrics": '
        '[{"_ng_task_index": 0, X, "mean/reward": 1.0, "rollout_infos": '
        '[{"_ng_task_index": 0, "_ng_rollout_index": 0, "reward": 1.0, X}]}]}]'.replace("X", name)
    )
    assert ids(Run(rows=[row(0)]), entries) == ["aggregate-not-checked"]


# whatever the document is

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.just(10**400)
    | st.builds(NonFinite, st.text()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(JSON)
@settings(max_examples=60, deadline=None)
def test_no_document_raises(value: object) -> None:
    found(ONE_FAILED, value)
    found(ONE_FAILED, [value], sidecars=False)


@given(st.data(), st.sampled_from([Rules(classes=CLASS), OLD, COUNTED, Rules(release="0.6")]))
@settings(max_examples=120, deadline=None)
def test_no_damage_to_a_sound_document_raises(data: st.DataObject, rules: Rules) -> None:
    entries: Any = produce(ONE_FAILED, rules)
    for _ in range(data.draw(st.integers(1, 3))):
        _damage(entries, data)
    found(ONE_FAILED, entries, sidecars=data.draw(st.booleans()), unplaced=data.draw(st.integers(0, 1)))


def _damage(value: Any, data: st.DataObject) -> None:
    """Replaces something somewhere in the document by something else."""
    while True:
        name = data.draw(st.sampled_from(sorted(value) if isinstance(value, dict) else range(len(value))))
        if isinstance(value[name], (dict, list)) and value[name] and data.draw(st.integers(0, 3)):
            value = value[name]
            continue
        value[name] = data.draw(JSON | st.sampled_from([-1, 0, 1e308, 5e-324, -0.0, copy.copy(value[name])]))
        return
