//! The `frontend` room.
