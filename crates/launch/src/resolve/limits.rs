//! What the device allows.

/// Limits of the device (or profile) on which the launch is to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Name of the device, for messages.
    pub device: String,
    /// `CL_DEVICE_MAX_WORK_GROUP_SIZE` (or the kernel's own limit), in work-items.
    pub max_group_size: u64,
    /// `CL_DEVICE_MAX_WORK_ITEM_SIZES`, in work-items.
    pub max_item_sizes: [u64; 3],
    /// `CL_DEVICE_LOCAL_MEM_SIZE`, in bytes; `None` to accept any tile, as a
    /// check that reports a tile beyond the limit itself.
    pub max_local_bytes: Option<u64>,
    /// A smaller last work-group is allowed (OpenCL 2.0 and later, by the
    /// build's `-cl-std`).
    pub non_uniform_groups: bool,
}

impl Limits {
    /// The first limit that a work-group of this shape breaks, in words.
    pub(super) fn broken_by(&self, local: [u64; 3]) -> Option<String> {
        let product = local.iter().try_fold(1_u64, |n, d| n.checked_mul(*d));
        if product.is_none_or(|n| n > self.max_group_size) {
            return Some(format!(
                "a work-group of {} work-items is more than the {} allowed",
                product.map_or_else(|| "more than 2^64".to_owned(), |n| n.to_string()),
                self.max_group_size
            ));
        }
        (0..3)
            .find(|d| local[*d] > self.max_item_sizes[*d])
            .map(|d| {
                format!(
                    "{} work-items in dimension {d} of a group are more than the {} allowed",
                    local[d], self.max_item_sizes[d]
                )
            })
    }

    /// The shape halved, the longest dimension first, until it fits.
    pub(super) fn fit(&self, mut local: [u64; 3]) -> [u64; 3] {
        for (size, max) in local.iter_mut().zip(self.max_item_sizes) {
            *size = (*size).min(max.max(1));
        }
        while self.broken_by(local).is_some() {
            match local.iter_mut().max() {
                Some(longest) if *longest > 1 => *longest /= 2,
                _ => break,
            }
        }
        local
    }
}
