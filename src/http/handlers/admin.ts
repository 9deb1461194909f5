/** Nodes, the audit log and captures, for the operator (docs/operations.md; docs/internals/wire.md, Capture). */
import { Type } from 'typebox';
import { operation, type Operation } from '../wire/operation.ts';
import { answer, members, ok } from '../wire/build.ts';
import { answerPages } from '../streams/answers.ts';
import { AuditEntrySchema, auditView, CaptureSchema, captureView, StartCaptureSchema } from '../schemas/operator.ts';
import { nextCursor, pageParameters } from '../schemas/page.ts';
import {
  deleteAnyDevice,
  exportAnyDevice,
  forgetAnyDevice,
  importUserDevice,
  listAllDevices,
  listUserDevices,
  rereadAnyDevice,
  updateAnyDevice,
} from './admin-devices.ts';
import {
  createUser,
  createUserKey,
  deleteUser,
  getUser,
  listUserKeys,
  listUsers,
  revokeUserKey,
  updateUser,
  updateUserKey,
} from './admin-users.ts';

const NodeSchema = Type.Object(
  {
    id: Type.String({ description: 'Changes with each start of the node' }),
    url: Type.String({ description: 'URL at which the other nodes reach it' }),
    draining: Type.Boolean({ description: 'True while the node is stopping and hands its devices over' }),
    devices: Type.Integer({ description: 'Number of devices whose sessions it runs' }),
  },
  { title: 'Node' },
);

const listNodes = operation({
  id: 'listNodes',
  method: 'GET',
  path: '/nodes',
  tag: 'Operator',
  summary: 'List the nodes of the installation',
  description: 'Empty when one process runs alone.',
  answer: answer({ nodes: Type.Array(NodeSchema) }),
  errors: [401, 408, 429, 500],
  async run({ parts }) {
    const nodes = (await parts.stores.cluster?.leases.nodes()) ?? [];
    const shown = nodes.map(({ id, url, draining, devices }) => ({ id, url, draining, devices }));
    return { nodes: shown, status: ok('Nodes listed') };
  },
});

const listAudit = operation({
  id: 'listAudit',
  method: 'GET',
  path: '/audit',
  tag: 'Operator',
  summary: 'List the audit log, newest first',
  description: 'Every change to users, keys, devices and webhooks. The audit log is append-only.',
  query: members(pageParameters),
  answer: answer({ entries: Type.Array(AuditEntrySchema), nextCursor }),
  errors: [400, 401, 408, 429, 500],
  async run(call) {
    return answerPages(call, { name: 'entries', done: 'Audit log listed' }, async (piece) => {
      const page = await call.parts.stores.audit.list(piece);
      return { ...page, items: page.items.map(auditView) };
    });
  },
});

const startCapture = operation({
  id: 'startCapture',
  method: 'POST',
  path: '/devices/{deviceId}/capture',
  tag: 'Operator',
  summary: 'Capture the shapes of the stanzas of a device',
  description:
    'Records tags, names of attributes and classes of values in both directions: no content, numbers, names, ids or keys. Starts over if a capture is under way.',
  body: { schema: StartCaptureSchema, examples: { tenMinutes: { seconds: 600 } } },
  answer: answer({ capture: CaptureSchema }),
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 429, 500],
  async run({ parts, scope, body }) {
    const capture = await parts.devices.captures.start(scope, body.seconds);
    return { capture: captureView(capture), status: ok(`Capture of device ${scope.id} started`) };
  },
});

const getCapture = operation({
  id: 'getCapture',
  method: 'GET',
  path: '/devices/{deviceId}/capture',
  tag: 'Operator',
  summary: 'Retrieve the capture of a device',
  description:
    'What was captured so far. A capture is lost when the service restarts or the device moves to another node.',
  answer: answer({ capture: CaptureSchema }),
  atOwner: true,
  errors: [401, 404, 408, 429, 500],
  async run({ parts, scope }) {
    const capture = parts.devices.captures.read(scope);
    return { capture: captureView(capture), status: ok(`Capture of device ${scope.id} retrieved`) };
  },
});

const stopCapture = operation({
  id: 'stopCapture',
  method: 'DELETE',
  path: '/devices/{deviceId}/capture',
  tag: 'Operator',
  summary: 'End the capture of a device',
  description: 'Answers what was captured, and forgets it.',
  answer: answer({ capture: CaptureSchema }),
  atOwner: true,
  errors: [401, 404, 408, 429, 500],
  async run({ parts, scope }) {
    const capture = parts.devices.captures.stop(scope);
    return { capture: captureView(capture), status: ok(`Capture of device ${scope.id} ended`) };
  },
});

/** All operations below `/admin/v1`. */
export const adminOperations: readonly Operation[] = [
  listUsers,
  createUser,
  getUser,
  updateUser,
  deleteUser,
  listUserKeys,
  createUserKey,
  updateUserKey,
  revokeUserKey,
  listUserDevices,
  listAllDevices,
  updateAnyDevice,
  deleteAnyDevice,
  exportAnyDevice,
  importUserDevice,
  forgetAnyDevice,
  rereadAnyDevice,
  startCapture,
  getCapture,
  stopCapture,
  listAudit,
  listNodes,
];
