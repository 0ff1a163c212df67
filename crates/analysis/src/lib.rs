//! The `analysis` room.
