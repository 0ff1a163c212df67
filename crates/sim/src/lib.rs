//! The `sim` room.
