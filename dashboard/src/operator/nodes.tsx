/** The nodes of a cluster; renders nothing for a single process. */
import type { Client } from '../api/client.ts';
import { useLoad } from '../api/hooks.ts';
import { texts } from '../base/texts.ts';
import { Badge, TableHead } from '../ui/parts.tsx';

const words = texts.operator;

interface ClusterNode {
  readonly id: string;
  readonly url: string;
  readonly draining: boolean;
  readonly devices: number;
}

export const Nodes = ({ client }: { readonly client: Client }) => {
  const nodes = useLoad(
    async () => (await client.get<{ nodes: readonly ClusterNode[] }>('/admin/v1/nodes')).nodes,
    'nodes',
  );
  if (nodes.value === null || nodes.value.length === 0) return null;
  return (
    <section className="card" aria-labelledby="nodes-title">
      <h2 id="nodes-title">{words.nodes}</h2>
      <table className="list">
        <TableHead columns={[words.node, words.url, words.runs, words.state]} />
        <tbody>
          {nodes.value.map(({ id, url, devices, draining }) => (
            <tr key={id}>
              <th scope="row">{id}</th>
              <td>{url}</td>
              <td data-label={words.runs}>{devices}</td>
              <td>
                <Badge tone={draining ? 'warn' : 'good'}>{draining ? words.draining : words.running}</Badge>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
};
