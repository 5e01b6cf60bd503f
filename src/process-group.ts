import { kill, platform } from 'node:process';

/** Whether a process that is started `detached` leads a group, which then can be killed as one. */
export const HAS_GROUPS = platform !== 'win32';

/**
 * Kills a process and all that it has started, whatever they are doing. Those that left the group are not found, nor, on
 * Windows, those that it has started. EDGE.
 *
 * @param groupId process id of the group's first process, which has not been gone for longer than this turn of the event
 *   loop: later the number may be another's
 */
export function killGroup(groupId: number): void {
  try {
    kill(HAS_GROUPS ? -groupId : groupId, 'SIGKILL');
  } catch (error) {
    // Nobody is left in it; macOS says EPERM while its dead wait to be collected.
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
