//! Element numbers to coordinates: finds the pitches of a buffer from the runs
//! of elements that are touched.

/// One level of coordinates: an element is at `row * pitch + column`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Level {
    pitch: i64,
    /// First column that is touched.
    column: i64,
    /// Number of columns from there on.
    extent: i64,
}

/// Coordinates of a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coordinates {
    /// Element that the numbers count from.
    origin: i64,
    /// Fastest first. The last one has no pitch: it is what remains.
    levels: Vec<Level>,
}

/// Most levels: OpenCL's dimensions, and one for components.
const MOST_LEVELS: usize = 4;

impl Coordinates {
    /// Finds the coordinates with the smallest box around `runs` (sorted,
    /// disjoint, not empty). `strides` are pitches worth a try.
    pub fn find(runs: &[(i64, i64)], strides: &[i64]) -> Option<Self> {
        let origin = runs.first()?.0;
        let shifted: Vec<_> = runs.iter().map(|r| (r.0 - origin, r.1 - origin)).collect();
        let pitches: Vec<i64> = strides.iter().map(|s| s.abs()).filter(|&s| s > 1).collect();
        Some(Self {
            origin,
            levels: levels(&shifted, &pitches, MOST_LEVELS),
        })
    }

    /// Pitch in elements and extent of each dimension, fastest first.
    pub fn extents(&self) -> Vec<(u64, u64)> {
        let mut pitch = 1u64;
        self.levels
            .iter()
            .map(|l| {
                let own = pitch;
                pitch = pitch.saturating_mul(l.pitch.unsigned_abs());
                (own, l.extent.unsigned_abs())
            })
            .collect()
    }

    /// First and last coordinate of the box in each dimension, fastest first.
    pub fn bounds(&self) -> Vec<(i64, i64)> {
        self.levels
            .iter()
            .map(|l| (l.column, l.column + l.extent - 1))
            .collect()
    }

    /// Coordinates of an element. One that lies outside of the box is given
    /// the coordinates that are nearest to it.
    pub fn of(&self, element: i64) -> Vec<i64> {
        let mut rest = element - self.origin;
        let last = self.levels.len() - 1;
        self.levels
            .iter()
            .enumerate()
            .map(|(i, l)| {
                if i == last {
                    return rest;
                }
                let mut row = (rest - l.column).div_euclid(l.pitch);
                let mut column = rest - row * l.pitch;
                let beyond = column - (l.column + l.extent - 1);
                let before = l.column + l.pitch - column;
                if beyond > before {
                    row += 1;
                    column -= l.pitch;
                }
                rest = row;
                column
            })
            .collect()
    }
}

fn volume(levels: &[Level]) -> u64 {
    levels
        .iter()
        .fold(1, |n: u64, l| n.saturating_mul(l.extent.unsigned_abs()))
}

/// The levels with the smallest box for runs that start at 0.
fn levels(runs: &[(i64, i64)], strides: &[i64], most: usize) -> Vec<Level> {
    let end = runs.last().map_or(0, |r| r.1);
    let first = runs.first().map_or(0, |r| r.0);
    let flat = vec![Level {
        pitch: 1,
        column: first,
        extent: end - first,
    }];
    if most <= 1 {
        return flat;
    }
    let mut candidates: Vec<i64> = strides
        .iter()
        .copied()
        .filter(|&s| s < end - first)
        .collect();
    candidates.extend(common_distance(runs));
    candidates.sort_unstable();
    candidates.dedup();
    let mut best = flat;
    for pitch in candidates {
        let Some((level, rows)) = split(runs, pitch) else {
            continue;
        };
        // Rows that follow one another without a gap have no more structure: a
        // stride of two rows is a work-item that computes two.
        let above: Vec<i64> = strides
            .iter()
            .filter(|&&s| rows.len() > 1 && s > pitch && s % pitch == 0)
            .map(|s| s / pitch)
            .collect();
        let mut all = vec![level];
        all.extend(levels(&rows, &above, most - 1));
        // Of equal boxes the one with more structure says more.
        let better = (volume(&all), best.len()) < (volume(&best), all.len());
        if better {
            best = all;
        }
    }
    best
}

/// The distance between starts of neighbouring runs that is met most, the
/// smaller one of equals. `None` for a single run.
fn common_distance(runs: &[(i64, i64)]) -> Option<i64> {
    let mut distances: Vec<i64> = runs.windows(2).map(|w| w[1].0 - w[0].0).collect();
    distances.sort_unstable();
    distances
        .chunk_by(|a, b| a == b)
        .max_by_key(|c| (c.len(), std::cmp::Reverse(c[0])))
        .map(|c| c[0])
        .filter(|&d| d > 1)
}

/// Splits runs into rows of this pitch: the columns that are touched, and the
/// runs of rows. `None` where the columns don't fit into the pitch.
fn split(runs: &[(i64, i64)], pitch: i64) -> Option<(Level, Vec<(i64, i64)>)> {
    // Columns are counted from the start of the widest run, which is the most
    // likely to show where rows begin.
    let anchor = runs.iter().max_by_key(|r| (r.1 - r.0, -r.0))?.0;
    let (mut low, mut high) = (0, 1);
    let mut rows: Vec<(i64, i64)> = Vec::new();
    for &(start, end) in runs {
        let mut at = start;
        while at < end {
            // The row whose columns are nearest to the anchor's. A run that is
            // longer than a row goes on at the next one.
            let row = (at - anchor + pitch / 2).div_euclid(pitch);
            let row = if end - start > pitch / 2 {
                (at - anchor).div_euclid(pitch)
            } else {
                row
            };
            let column = at - anchor - row * pitch;
            let length = (end - at).min(pitch - column.max(0));
            low = low.min(column);
            high = high.max(column + length);
            match rows.last_mut() {
                Some(last) if row < last.1 && row >= last.0 => {}
                Some(last) if row == last.1 => last.1 += 1,
                _ => rows.push((row, row + 1)),
            }
            at += length;
        }
    }
    if high - low > pitch {
        return None;
    }
    rows.sort_unstable();
    let mut joined: Vec<(i64, i64)> = Vec::with_capacity(rows.len());
    for (start, end) in rows {
        match joined.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    let level = Level {
        pitch,
        column: anchor + low,
        extent: high - low,
    };
    Some((level, joined))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(starts: impl IntoIterator<Item = i64>, width: i64) -> Vec<(i64, i64)> {
        starts.into_iter().map(|s| (s, s + width)).collect()
    }

    #[test]
    fn one_run_has_one_dimension() {
        let found = Coordinates::find(&[(1000, 1258)], &[1]).unwrap();
        assert_eq!(found.extents(), [(1, 258)]);
        assert_eq!(found.of(1001), [1]);
    }

    #[test]
    fn rows_at_equal_distances_are_a_plane() {
        let runs = rows((0..20).map(|y| 5000 + 4096 * y), 36);
        let found = Coordinates::find(&runs, &[]).unwrap();
        assert_eq!(found.extents(), [(1, 36), (4096, 20)]);
        assert_eq!(found.of(5000 + 4096 * 3 + 7), [7, 3]);
        // In front of the box, not at the far end of the row before.
        assert_eq!(found.of(5000 - 1), [-1, 0]);
    }

    #[test]
    fn a_cross_has_the_box_of_its_longest_rows() {
        // Rows of a 16x16 group with a 5-point cross: 16, 18 (16 times), 16.
        let mut runs = vec![(100, 116)];
        runs.extend((1..=16).map(|y| (100 + 1024 * y - 1, 100 + 1024 * y + 17)));
        runs.push((100 + 1024 * 17, 100 + 1024 * 17 + 16));
        let found = Coordinates::find(&runs, &[1, 1024]).unwrap();
        assert_eq!(found.extents(), [(1, 18), (1024, 18)]);
        let (first, centre) = (found.of(100), found.of(100 + 1024));
        assert_eq!(centre[0] - first[0], 0);
        assert_eq!(centre[1] - first[1], 1);
    }

    #[test]
    fn planes_are_found_behind_rows() {
        let runs: Vec<_> = (0..6)
            .flat_map(|z| rows((0..10).map(move |y| 77 + (z * 256 + y) * 512), 10))
            .collect();
        let found = Coordinates::find(&runs, &[]).unwrap();
        assert_eq!(found.extents(), [(1, 10), (512, 10), (512 * 256, 6)]);
        assert_eq!(found.of(77 + (2 * 256 + 3) * 512 + 4), [4, 3, 2]);
    }

    #[test]
    fn whole_rows_are_split_by_the_stride() {
        // 16 whole rows of a 512 wide matrix are one run.
        let found = Coordinates::find(&[(8192, 8192 + 16 * 512)], &[512]).unwrap();
        assert_eq!(found.extents(), [(1, 512), (512, 16)]);
    }

    #[test]
    fn a_stride_of_two_rows_is_not_the_pitch() {
        let runs = rows((0..34).map(|y| 4096 * y), 18);
        let found = Coordinates::find(&runs, &[1, 8192]).unwrap();
        assert_eq!(found.extents(), [(1, 18), (4096, 34)]);
    }
}
