/** `GET /nodes`: the processes that serve one installation together, and how many devices each of them runs. */
import { Type } from 'typebox';
import { operation } from '../../server/operation.ts';
import { answer, ok } from '../../schemas/build.ts';

const NodeSchema = Type.Object(
  {
    id: Type.String({ description: 'Another one after each start' }),
    url: Type.String({ description: 'Where the other nodes reach it' }),
    draining: Type.Boolean({ description: 'It is about to stop, and gives its devices away' }),
    devices: Type.Integer({ description: 'Devices whose sessions it runs' }),
  },
  { title: 'Node' },
);

export const listNodes = operation({
  id: 'listNodes',
  method: 'GET',
  path: '/nodes',
  tag: 'Operator',
  summary: 'The nodes of the installation',
  description: 'None where one process serves alone.',
  answer: answer({ nodes: Type.Array(NodeSchema) }),
  errors: [401, 408, 429, 500],
  async run({ parts }) {
    const nodes = (await parts.stores.cluster?.leases.nodes()) ?? [];
    const shown = nodes.map(({ id, url, draining, devices }) => ({ id, url, draining, devices }));
    return { nodes: shown, status: ok('Nodes listed') };
  },
});
