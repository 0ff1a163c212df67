//! The `tilewise` library.
