//! Does numbered pieces of work on several threads, and hands their results over in order.
//!
//! Each thread takes the next number and, when it is done with it, leaves the result in
//! a queue. Whoever finds the result there that is next hands over all that follow it
//! without a gap, while the others go on. No thread takes a number that is far ahead of what
//! was handed over, so that few results are alive at a time.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Numbers per thread that may be taken ahead of what was handed over.
const AHEAD: u64 = 4;

/// Where threads come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Threads {
    /// So many of its own, the caller's among them.
    Own(usize),
    /// Those that the process shares, as far as they have nothing else to do.
    Shared(usize),
}

impl Threads {
    fn count(self) -> usize {
        match self {
            Threads::Own(count) | Threads::Shared(count) => count,
        }
    }
}

/// Calls `make` for each number below `count`, with what `start` made for the thread, and
/// `hand_over` with the results in order, until that breaks. The first result is handed
/// over before others are begun: who takes it may learn from it.
pub(super) fn in_order<S, T: Send>(
    count: u64,
    threads: Threads,
    start: impl Fn() -> S + Sync,
    make: impl Fn(&mut S, u64) -> T + Sync,
    hand_over: impl FnMut(T) -> ControlFlow<()> + Send,
) {
    let line = Line {
        count,
        threads: threads.count() as u64,
        queue: Mutex::new(Queue {
            next: 0,
            first: 0,
            done: VecDeque::new(),
            is_handing: false,
            stopped: false,
        }),
        turn: Condvar::new(),
        hand_over: Mutex::new(hand_over),
    };
    let work = || {
        // A panic must not leave the others waiting for this one's result.
        let stop = StopAtUnwinding(&line);
        let mut state = start();
        while let Some(number) = line.take() {
            line.done(number, make(&mut state, number));
        }
        std::mem::forget(stop);
    };
    match threads {
        Threads::Own(count) => std::thread::scope(|scope| {
            for _ in 1..count {
                // Where the system gives no more threads, fewer do the same.
                let started = std::thread::Builder::new().spawn_scoped(scope, work);
                if started.is_err() {
                    break;
                }
            }
            work();
        }),
        Threads::Shared(count) => rayon::scope(|scope| {
            for _ in 0..count {
                scope.spawn(|_| work());
            }
        }),
    }
}

struct Queue<T> {
    /// Taken next.
    next: u64,
    /// Handed over next.
    first: u64,
    /// Results from `first` on, where there are any yet.
    done: VecDeque<Option<T>>,
    /// A thread is handing results over.
    is_handing: bool,
    stopped: bool,
}

struct Line<T, F> {
    count: u64,
    threads: u64,
    queue: Mutex<Queue<T>>,
    /// Something was handed over, or all is stopped.
    turn: Condvar,
    hand_over: Mutex<F>,
}

impl<T, F: FnMut(T) -> ControlFlow<()>> Line<T, F> {
    fn queue(&self) -> MutexGuard<'_, Queue<T>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next number, once it is near enough.
    fn take(&self) -> Option<u64> {
        let mut queue = self.queue();
        loop {
            if queue.stopped || queue.next == self.count {
                return None;
            }
            let ahead = match queue.first {
                0 => 1,
                first => (2 * first).clamp(self.threads, AHEAD * self.threads),
            };
            if queue.next < queue.first + ahead {
                queue.next += 1;
                return Some(queue.next - 1);
            }
            queue = self
                .turn
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Leaves a result, and hands over what is there in order.
    fn done(&self, number: u64, result: T) {
        let mut queue = self.queue();
        let at = (number - queue.first) as usize;
        if queue.done.len() <= at {
            queue.done.resize_with(at + 1, || None);
        }
        queue.done[at] = Some(result);
        if queue.is_handing {
            return;
        }
        queue.is_handing = true;
        while !queue.stopped
            && let Some(result) = queue.done.front_mut().and_then(Option::take)
        {
            drop(queue);
            let flow = {
                let mut hand_over = self
                    .hand_over
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                (*hand_over)(result)
            };
            queue = self.queue();
            queue.done.pop_front();
            queue.first += 1;
            queue.stopped |= flow.is_break();
            self.turn.notify_all();
        }
        queue.is_handing = false;
    }

    fn stop(&self) {
        self.queue().stopped = true;
        self.turn.notify_all();
    }
}

struct StopAtUnwinding<'l, T, F: FnMut(T) -> ControlFlow<()>>(&'l Line<T, F>);

impl<T, F: FnMut(T) -> ControlFlow<()>> Drop for StopAtUnwinding<'_, T, F> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    const WAYS: [Threads; 4] = [
        Threads::Own(1),
        Threads::Own(2),
        Threads::Own(7),
        Threads::Shared(3),
    ];

    #[test]
    fn results_come_in_order_whoever_made_them() {
        for threads in WAYS {
            for count in [0, 1, 2, 100] {
                let mut seen = Vec::new();
                let slow = |_: &mut (), n: u64| {
                    if n.is_multiple_of(3) {
                        std::thread::yield_now();
                    }
                    n * n
                };
                in_order(
                    count,
                    threads,
                    || (),
                    slow,
                    |n| {
                        seen.push(n);
                        ControlFlow::Continue(())
                    },
                );
                let all: Vec<u64> = (0..count).map(|n| n * n).collect();
                assert_eq!(seen, all, "{threads:?}");
            }
        }
    }

    #[test]
    fn nothing_is_handed_over_behind_a_break() {
        for threads in WAYS {
            let mut seen = Vec::new();
            let made = AtomicU64::new(0);
            let make = |_: &mut (), n: u64| {
                made.fetch_add(1, Ordering::Relaxed);
                n
            };
            in_order(
                1000,
                threads,
                || (),
                make,
                |n| {
                    seen.push(n);
                    match n {
                        4 => ControlFlow::Break(()),
                        _ => ControlFlow::Continue(()),
                    }
                },
            );
            assert_eq!(seen, [0, 1, 2, 3, 4]);
            assert!(made.into_inner() < 40, "work went on for long");
        }
    }

    #[test]
    fn the_first_one_goes_alone() {
        for threads in WAYS {
            let handed = AtomicU64::new(0);
            let make = |_: &mut (), n: u64| n == 0 || handed.load(Ordering::SeqCst) > 0;
            let mut all = true;
            in_order(
                50,
                threads,
                || (),
                make,
                |fine| {
                    handed.fetch_add(1, Ordering::SeqCst);
                    all &= fine;
                    ControlFlow::Continue(())
                },
            );
            assert!(all, "{threads:?}");
        }
    }

    #[test]
    fn a_panic_comes_through() {
        for threads in WAYS {
            let run = || {
                let make = |_: &mut (), n: u64| assert!(n != 3, "the third");
                in_order(50, threads, || (), make, |()| ControlFlow::Continue(()));
            };
            let result = std::panic::catch_unwind(run);
            assert!(result.is_err(), "{threads:?}");
        }
    }
}
