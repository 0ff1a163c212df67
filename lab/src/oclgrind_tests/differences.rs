//! Tests of Oclgrind on which tilewise gives another verdict, and why.

/// A difference that is known.
pub struct Known {
    /// Part of what is found in place of what the reference has.
    pub found: &'static str,
    /// Why that is right, or what tilewise lacks.
    pub reason: &'static str,
}

/// What is known of a test.
pub fn known(test: &str) -> Option<&'static Known> {
    let found = KNOWN.iter().find(|(name, _)| *name == test);
    found.map(|(_, known)| known)
}

/// The host's promises about a buffer are flags of `clCreateBuffer`.
const HOST_FLAGS: &str = "the host made the buffer read-only or write-only, which is no part of a launch here: \
     the kernel's own qualifiers are (TW109)";

/// One mistake, one finding.
const FOLLOWS: &str =
    "what is read outside of a buffer counts as set: the access itself is the finding";

/// Waits are not told apart.
const EVENTS: &str =
    "events are not followed by their value: a wait counts as one for every copy before it";

/// Bytes between members.
const PADDING: &str = "padding of a structure holds no value: a copy may bring any bytes there";

/// Commands for Oclgrind's debugger.
const DEBUGGER: &str = "a test of Oclgrind's debugger, without a verdict";

const fn known_as(found: &'static str, reason: &'static str) -> Known {
    Known { found, reason }
}

const KNOWN: &[(&str, Known)] = &[
    (
        "atomics/atomic_cmpxchg_false_race",
        known_as(
            "found TW101, expected nothing",
            "a compare-exchange counts as a write, whether it succeeds or not: that depends on who comes first",
        ),
    ),
    ("interactive/pointers", known_as("debugger", DEBUGGER)),
    ("interactive/struct_member", known_as("debugger", DEBUGGER)),
    (
        "memcheck/atomic_out_of_bounds",
        known_as("found TW104, expected TW104, TW105", FOLLOWS),
    ),
    (
        "memcheck/dereference_null",
        known_as("found TW104, expected TW104, TW105", FOLLOWS),
    ),
    (
        "memcheck/read_out_of_bounds",
        known_as("found TW104, expected TW104, TW105", FOLLOWS),
    ),
    (
        "memcheck/read_write_only_memory",
        known_as("found nothing, expected TW109", HOST_FLAGS),
    ),
    (
        "memcheck/write_read_only_memory",
        known_as("found nothing, expected TW109", HOST_FLAGS),
    ),
    (
        "uninitialized/padded_struct_alloca_fp",
        known_as("output[1] is", PADDING),
    ),
    (
        "uninitialized/padded_struct_memcpy_fp",
        known_as("output[1] is", PADDING),
    ),
    (
        "uninitialized/uninitialized_global_buffer",
        known_as(
            "found nothing, expected TW105",
            "global memory counts as set: a launch fills every buffer",
        ),
    ),
    (
        "wait_event/wait_event_divergent",
        known_as("found nothing, expected TW103, TW110", EVENTS),
    ),
    (
        "wait_event/wait_event_invalid",
        known_as("found nothing, expected TW110", EVENTS),
    ),
];
