use super::attempt_folder::Ingested;
use super::clock;
use super::conversation::Conversation;
use super::driver::{Driver, TICK, Unstored};
use super::frame::Frame;
use super::inbox::Event;
use super::leftovers::end_leftovers;
use super::outcome::Exit;
use super::progress::Progress;
use super::spawn_line::CONFIG_DIR;
use crate::unit::counted;
use anyhow::anyhow;
use rustix::process::Signal;
use std::time::Duration;

/// How long the CLI may take to end when the runner is told to.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// What is left to do once the CLI is gone, or has to go.
impl Conversation {
    /// Looks for entries that did not arrive, where that may be, and removes the folder if it is not needed any more; how
    /// many answers of the model are nowhere.
    pub(super) fn close(&mut self, driver: &mut Driver) -> usize {
        let now = clock::millis();
        let is_held = driver.backlog.flush(&mut driver.store, now).is_err();
        let is_killed = self.asked_to_end.is_some() || matches!(self.progress.evidence.exit, Some(Exit::Signal(_)));
        if is_killed {
            end_leftovers(CONFIG_DIR, self.folder.path(), Signal::TERM);
        }
        let is_odd = self.has_missed || is_killed || !self.progress.has_result();
        let ingested = if is_held {
            Err(anyhow!("the store cannot be written"))
        } else if is_odd || self.lost(driver) > 0 {
            self.folder.ingest(&mut driver.store, now)
        } else {
            Ok(Ingested::default())
        };
        let is_stored = ingested.is_ok();
        let whole = ingested.and_then(|ingested| match ingested.unreadable {
            0 => self.folder.remove(),
            lines => Err(anyhow!("{} of the CLI's files cannot be read", counted(lines, "line"))),
        });
        if let Err(error) = whole {
            let text = format!("{} is kept, and taken over by the next run: {error:#}", self.folder.path().display());
            driver.reporter.trouble("mirror_error", &text);
        }
        if !is_stored {
            driver.unstored.push(self.unstored());
        }
        driver.reporter.clear();
        // What a killed CLI said and did not write is no fault of the books: its end is told.
        let lost = if is_stored && !is_killed { self.lost(driver) } else { 0 };
        driver.has_lost |= lost > 0;
        lost
    }

    /// How many messages of the main thread the store does not have, though the CLI said them.
    fn lost(&self, driver: &Driver) -> usize {
        driver.not_stored(&self.unstored()).len()
    }

    fn unstored(&self) -> Unstored {
        let Progress { session, said, .. } = &self.progress;
        Unstored { session: session.clone(), said: said.clone(), folder: self.folder.clone() }
    }

    /// Ends the CLI because the runner is told to end, and stores its last entries.
    pub(super) fn finish_off(mut self, driver: &mut Driver) {
        self.child.terminate();
        let end = clock::instant() + LAST_WORDS;
        while self.ended.is_none() && clock::instant() < end {
            match driver.inbox.next(TICK) {
                Some(Event::Lines(number, lines)) if number == self.number => {
                    let mut mirrored = Vec::new();
                    for line in &lines {
                        if let Some(Frame::Mirror { path, entries }) = Frame::parse(line) {
                            mirrored.extend(self.mirrored(driver, &path, &entries));
                        }
                    }
                    self.store(driver, &mirrored);
                }
                Some(Event::End(number)) if number == self.number => self.ended = Some(clock::instant()),
                Some(_) | None => {}
            }
        }
        self.child.kill();
        self.asked_to_end = Some(clock::instant());
        let lost = self.close(driver);
        if lost > 0 {
            let answers = counted(lost, "answer");
            driver.reporter.trouble("mirror_error", &format!("{answers} of the model did not reach the store"));
        }
    }
}
