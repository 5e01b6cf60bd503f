/** What was rendered, and from what. Committed. */
export const LOCK_FILE = 'reelform.lock.json';

/** Where the journal of this machine lies. Ignored by git. */
export const JOURNAL_FILE = '.reelform/journal.ndjson';
