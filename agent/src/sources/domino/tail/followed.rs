//! One file that is followed: what was written to it since the last look, wherever in it.
//!
//! A file that became shorter is read from its start. One in which the place of the last look is not found again was written
//! over, and nothing in it can be told from what stood there before: the place is searched for, and what was missed is said.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;

use super::ahead::{Ahead, Stream, print_before, print_start, stream_unseen};
use super::bytes::begins_line;
use super::lines::give;
use super::survey::{Survey, Written};
use super::{Heard, Position};

/// How many times a file is looked at anew while somebody writes to it.
const LOOKS: usize = 5;
/// So many times a file may have been written to without anything seen of it.
const UNSEEN: u8 = 2;

/// A file and the place in it.
pub(super) struct Followed {
    file: File,
    pub(super) device: u64,
    pub(super) inode: u64,
    place: Place,
    /// Whether the line at the place is a rest that is not wanted.
    skip: bool,
    /// When the file was last written to, at the last look.
    modified: (i64, i64),
}

enum Place {
    /// Known.
    At {
        position: Position,
        ahead: Option<Ahead>,
        /// How many times the file was written to without anything seen of it.
        unseen: u8,
    },
    /// Searched for.
    Unknown(Survey),
}

/// What a look came to.
pub(super) struct Step {
    /// Whether all that was written was given.
    pub(super) complete: bool,
    /// Whether something was written that could not be told from older text.
    pub(super) overwritten: bool,
}

const DONE: Step = Step { complete: true, overwritten: false };
const NOT_YET: Step = Step { complete: false, overwritten: false };
const OVERWRITTEN: Step = Step { complete: false, overwritten: true };

impl Followed {
    /// From where it is written now, wherever that is: the past of the file is left out.
    pub(super) fn from_now(file: File) -> io::Result<Followed> {
        let length = file.metadata()?.len();
        let survey = Survey::take(&file, length)?;
        Followed::new(file, Place::Unknown(survey))
    }

    /// From a position that was remembered; the file's start, for one that is new.
    pub(super) fn from_position(file: File, position: Position) -> io::Result<Followed> {
        let ahead = (position == Position::START).then(Ahead::default);
        let skip = position.offset <= file.metadata()?.len() && !begins_line(&file, position.offset)?;
        let followed = Followed::new(file, Place::At { position, ahead, unseen: 0 })?;
        Ok(Followed { skip, ..followed })
    }

    fn new(file: File, place: Place) -> io::Result<Followed> {
        let meta = file.metadata()?;
        let modified = (meta.mtime(), meta.mtime_nsec());
        Ok(Followed { file, device: meta.dev(), inode: meta.ino(), place, skip: false, modified })
    }

    /// The place, where it is known.
    pub(super) fn position(&self) -> Option<Position> {
        match &self.place {
            Place::At { position, .. } => Some(*position),
            Place::Unknown(_) => None,
        }
    }

    /// Gives what was written since the last look, not more than `budget` bytes of it.
    pub(super) fn read(&mut self, budget: &mut u64, sink: &mut dyn FnMut(Heard<'_>)) -> io::Result<Step> {
        let meta = self.file.metadata()?;
        let modified = (meta.mtime(), meta.mtime_nsec());
        let written = std::mem::replace(&mut self.modified, modified) != modified;
        if let Place::Unknown(survey) = &self.place {
            match survey.compare(&self.file, meta.len())? {
                Written::Nothing => return Ok(if written { NOT_YET } else { DONE }),
                Written::Behind(length) => {
                    self.begin_at(length)?;
                    self.read_growth_of(length)?;
                }
                Written::Around(offset) => {
                    self.begin_at(offset)?;
                    sink(Heard::Break);
                    return Ok(NOT_YET);
                }
                Written::Cut => self.begin_anew(sink),
                Written::Anywhere => {
                    self.place = Place::Unknown(Survey::take(&self.file, meta.len())?);
                    return Ok(OVERWRITTEN);
                }
            }
        }
        self.follow(written, budget, sink)
    }

    /// Follows from a known place.
    fn follow(&mut self, written: bool, budget: &mut u64, sink: &mut dyn FnMut(Heard<'_>)) -> io::Result<Step> {
        for _ in 0..LOOKS {
            let Place::At { position, ahead, unseen } = &self.place else { return Ok(NOT_YET) };
            let (position, unseen) = (*position, *unseen);
            let length = self.file.metadata()?.len();
            if length < position.length {
                if self.is_old_text_cut(&position, length)? {
                    self.begin_at(length)?;
                    sink(Heard::Break);
                    return Ok(DONE);
                }
                self.begin_anew(sink);
                continue;
            }
            let stream = match ahead {
                Some(old) => {
                    let now = old.again(&self.file, position.offset)?;
                    // Where something changed in place the writer may be at it: only what looks the same twice is a state.
                    if now != *old && !(self.file.metadata()?.len() == length && old.again(&self.file, position.offset)? == now) {
                        continue;
                    }
                    old.stream(&now, &position, length)
                }
                None => {
                    let begun_anew = print_start(&self.file, position.offset)? != position.start;
                    stream_unseen(&position, length, begun_anew)
                }
            };
            let unseen = if written && !stream.changed { unseen + 1 } else { 0 };
            if print_before(&self.file, position.offset, position.length)? != position.before || unseen == UNSEEN {
                self.place = Place::Unknown(Survey::take(&self.file, length)?);
                sink(Heard::Break);
                return Ok(OVERWRITTEN);
            }
            return self.take(&stream, length, unseen, budget, sink);
        }
        Ok(NOT_YET)
    }

    /// Gives what was written and goes on to the place behind it.
    fn take(
        &mut self,
        stream: &Stream,
        length: u64,
        unseen: u8,
        budget: &mut u64,
        sink: &mut dyn FnMut(Heard<'_>),
    ) -> io::Result<Step> {
        // In place it is never more than a window, and a part of it could not be told from old text the next time.
        let mut all = u64::MAX;
        let first = give(&self.file, stream.first.clone(), &mut self.skip, if stream.grown { budget } else { &mut all }, sink)?;
        if first.reached < stream.first.end {
            // All that is left is growth the next time too.
            if let Place::At { position, ahead, .. } = &mut self.place {
                *ahead = ahead.take().map(Ahead::without_rest);
                *position = Position::of(&self.file, first.offset, first.reached, first.reached)?;
            }
            return Ok(NOT_YET);
        }
        let mut end = first;
        if let Some(second) = &stream.second {
            // What may be a line's other half is not put together. A writer that breaks lines fills the file to its last byte.
            self.skip |= first.offset < first.reached || !begins_line(&self.file, length)?;
            end = give(&self.file, second.clone(), &mut self.skip, &mut all, sink)?;
        }
        let position = Position::of(&self.file, end.offset, end.reached, length)?;
        let ahead = Some(Ahead::read(&self.file, end.offset, length)?);
        self.place = Place::At { position, ahead, unseen };
        Ok(if stream.complete { DONE } else { NOT_YET })
    }

    /// Whether a file that became shorter lost its end and kept its start.
    fn is_old_text_cut(&self, position: &Position, length: u64) -> io::Result<bool> {
        let kept = length.min(position.offset);
        Ok(kept > 0
            && kept >= Position::PRINT.min(position.offset)
            && print_start(&self.file, position.offset)? == position.start)
    }

    fn begin_anew(&mut self, sink: &mut dyn FnMut(Heard<'_>)) {
        self.place = Place::At { position: Position::START, ahead: Some(Ahead::default()), unseen: 0 };
        self.skip = false;
        sink(Heard::Break);
    }

    /// Begins in the middle; a line that has begun before is not wanted.
    fn begin_at(&mut self, offset: u64) -> io::Result<()> {
        let length = self.file.metadata()?.len();
        self.skip = !begins_line(&self.file, offset)?;
        let position = Position::of(&self.file, offset, offset, length)?;
        self.place = Place::At { position, ahead: Some(Ahead::read(&self.file, offset, length)?), unseen: 0 };
        Ok(())
    }

    /// All beyond this length is growth.
    fn read_growth_of(&mut self, old_length: u64) -> io::Result<()> {
        if let Place::At { position, ahead, .. } = &mut self.place {
            *position = Position::of(&self.file, old_length, old_length, old_length)?;
            *ahead = ahead.take().map(Ahead::without_rest);
        }
        Ok(())
    }
}
