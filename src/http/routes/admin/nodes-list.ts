/** `GET /nodes`: the processes that serve one installation together, and how many devices each of them runs. */
import { Type } from 'typebox';
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';

const NodeSchema = Type.Object(
  {
    id: Type.String({ description: 'Changes with each start of the node' }),
    url: Type.String({ description: 'URL at which the other nodes reach it' }),
    draining: Type.Boolean({ description: 'True while the node is stopping and hands its devices over' }),
    devices: Type.Integer({ description: 'Number of devices whose sessions it runs' }),
  },
  { title: 'Node' },
);

export const listNodes = operation({
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
