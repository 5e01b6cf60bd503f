// The same at its full count.
import '../server/store/race.test.ts';
