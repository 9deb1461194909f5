/** Nodes, the audit log and captures, for the operator (docs/operations.md; docs/internals/wire.md, Capture). */
import { Type } from 'typebox';
import { answer, members } from '../../build.ts';
import { changes, declare, reads } from '../../operation.ts';
import { pageParameters, nextCursor } from '../../schemas/page.ts';
import { AuditEntrySchema, StartCaptureSchema, CaptureSchema } from '../../schemas/operator.ts';

const NodeSchema = Type.Object(
  {
    id: Type.String({ description: 'Changes with each start of the node' }),
    url: Type.String({ description: 'URL at which the other nodes reach it' }),
    draining: Type.Boolean({ description: 'True while the node is stopping and hands its devices over' }),
    devices: Type.Integer({ description: 'Number of devices whose sessions it runs' }),
  },
  { title: 'Node' },
);

export const listNodes = declare({
  id: 'listNodes',
  path: '/nodes',
  command: 'node list',
  ...reads('0.1.0', 'operator'),
  tag: 'Operator',
  summary: 'List the nodes of the installation',
  description: 'Empty when one process runs alone.',
  answer: answer({ nodes: Type.Array(NodeSchema) }),
});

export const listAudit = declare({
  id: 'listAudit',
  path: '/audit',
  command: 'audit',
  ...reads('0.1.0', 'operator'),
  tag: 'Operator',
  summary: 'List the audit log, newest first',
  description: 'Every change to users, keys, devices and webhooks. The audit log is append-only.',
  query: members(pageParameters),
  answer: answer({ entries: Type.Array(AuditEntrySchema), nextCursor }),
});

export const startCapture = declare({
  id: 'startCapture',
  method: 'POST',
  path: '/devices/{deviceId}/capture',
  command: 'capture <device> <file>',
  ...changes('0.3.0', 'operator'),
  tag: 'Operator',
  summary: 'Capture the shapes of the stanzas of a device',
  description:
    'Records tags, names of attributes and classes of values in both directions: no content, numbers, names, ids or keys. Starts over if a capture is under way.',
  body: { schema: StartCaptureSchema, examples: { tenMinutes: { seconds: 600 } } },
  answer: answer({ capture: CaptureSchema }),
  atOwner: true,
});

export const getCapture = declare({
  id: 'getCapture',
  path: '/devices/{deviceId}/capture',
  command: 'capture <device> <file>',
  ...reads('0.3.0', 'operator'),
  tag: 'Operator',
  summary: 'Retrieve the capture of a device',
  description:
    'What was captured so far. A capture is lost when the service restarts or the device moves to another node.',
  answer: answer({ capture: CaptureSchema }),
  atOwner: true,
});

export const stopCapture = declare({
  id: 'stopCapture',
  method: 'DELETE',
  path: '/devices/{deviceId}/capture',
  command: 'capture <device> <file>',
  ...changes('0.3.0', 'operator'),
  tag: 'Operator',
  summary: 'End the capture of a device',
  description: 'Returns what was captured and deletes it.',
  answer: answer({ capture: CaptureSchema }),
  atOwner: true,
});
