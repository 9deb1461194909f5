/** Nodes, the audit log and captures, for the operator (docs/operations.md; docs/internals/wire.md, Capture). */
import * as declared from '../../contract/operations/admin/admin.ts';
import { ok } from '../wire/values.ts';
import { handle } from '../wire/operation.ts';
import { answerPages } from '../streams/answers.ts';
import { auditView, captureView } from '../views/operator.ts';

export const listNodes = handle(declared.listNodes, async ({ services }) => {
  const nodes = (await services.stores.cluster?.leases.nodes()) ?? [];
  const shown = nodes.map(({ id, url, draining, devices }) => ({ id, url, draining, devices }));
  return { nodes: shown, status: ok('Nodes listed') };
});

export const listAudit = handle(declared.listAudit, async (call) => {
  return answerPages(call, { name: 'entries', done: 'Audit log listed' }, async (piece) => {
    const page = await call.services.stores.audit.list(piece);
    return { ...page, items: page.items.map(auditView) };
  });
});

export const startCapture = handle(declared.startCapture, async ({ services, scope, body }) => {
  const capture = await services.devices.captures.start(scope, body.seconds);
  return { capture: captureView(capture), status: ok(`Capture of device ${scope.id} started`) };
});

export const getCapture = handle(declared.getCapture, async ({ services, scope }) => {
  const capture = services.devices.captures.read(scope);
  return { capture: captureView(capture), status: ok(`Capture of device ${scope.id} retrieved`) };
});

export const stopCapture = handle(declared.stopCapture, async ({ services, scope }) => {
  const capture = services.devices.captures.stop(scope);
  return { capture: captureView(capture), status: ok(`Capture of device ${scope.id} ended`) };
});
