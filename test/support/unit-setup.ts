import { ChildProcess } from 'node:child_process';
import { Server, Socket } from 'node:net';

// A unit test that starts a process or opens a socket fails. `testLanes()` missed it because a package does so.

const refuse = (): never => {
  throw new Error('A unit test starts no process and opens no socket: add what it imports to WORLDLY in test-lanes.ts');
};
Object.assign(ChildProcess.prototype, { spawn: refuse });
Object.assign(Server.prototype, { listen: refuse });
Object.assign(Socket.prototype, { connect: refuse });
