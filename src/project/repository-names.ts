/** What was rendered, and from what. Committed. */
export const LOCK_FILE = 'reelform.lock.json';

/** Where the journal of this machine lies. Ignored by git. */
export const JOURNAL_FILE = '.reelform/journal.ndjson';

/** What the lockfile had in the history of a commit. Ignored by git. */
export const HISTORY_FILE = '.reelform/history.idx';
