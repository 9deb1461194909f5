/** The operator's page: users, their limits and keys, and the health of the service. */
import type { Client } from '../api/client.ts';
import { useLoad, type Loaded } from '../api/hooks.ts';
import { texts, locale } from '../base/texts.ts';
import { Badge, TableHead, Action, Await, Empty } from '../ui/parts.tsx';
import { useState } from 'react';
import type { ClientVersion, User } from '../api/types.ts';
import { dateOf } from '../base/format.ts';
import { ClientVersionNote } from '../ui/client-version.tsx';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { icons, Logo } from '../ui/icons.tsx';
import { LanguageSwitch } from '../ui/language.tsx';
import { SecretOnce } from '../ui/secret-once.tsx';
import { ThemeSwitch } from '../ui/theme.tsx';
import { EditUser } from './edit-user.tsx';

interface ClusterNode {
  readonly id: string;
  readonly url: string;
  readonly draining: boolean;
  readonly devices: number;
}

const Nodes = ({ client }: { readonly client: Client }) => {
  const nodes = useLoad(
    async () => (await client.get<{ nodes: readonly ClusterNode[] }>('/admin/v1/nodes')).nodes,
    'nodes',
  );
  if (nodes.value === null || nodes.value.length === 0) return null;
  return (
    <section className="card" aria-labelledby="nodes-title">
      <h2 id="nodes-title">{texts.operator.nodes}</h2>
      <table className="list">
        <TableHead columns={[texts.operator.node, texts.operator.url, texts.operator.runs, texts.operator.state]} />
        <tbody>
          {nodes.value.map(({ id, url, devices, draining }) => (
            <tr key={id}>
              <th scope="row">{id}</th>
              <td>{url}</td>
              <td data-label={texts.operator.runs}>{devices}</td>
              <td>
                <Badge tone={draining ? 'warn' : 'good'}>
                  {draining ? texts.operator.draining : texts.operator.running}
                </Badge>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
};

const words = texts.operator;

type Open =
  | { readonly kind: 'create' }
  | { readonly kind: 'edit' | 'remove'; readonly user: User }
  | { readonly kind: 'key'; readonly user: User; readonly secret: string };

interface RowProps {
  readonly client: Client;
  readonly user: User;
  readonly open: (what: Open) => void;
}

const UserRow = ({ client, user, open }: RowProps) => {
  const newKey = async (): Promise<void> => {
    const { key } = await client.post<{ key: { secret: string } }>(`/admin/v1/users/${user.id}/keys`, {
      name: words.keyName,
    });
    open({ kind: 'key', user, secret: key.secret });
  };
  return (
    <tr>
      <th scope="row">{user.name}</th>
      <td>
        <meter
          min={0}
          max={Math.max(user.deviceLimit, 1)}
          value={user.activeDevices}
          aria-label={`${words.devices}, ${user.name}`}
        />{' '}
        {texts.usage.of(user.activeDevices, user.deviceLimit)}
      </td>
      <td data-label={words.rate}>{user.rateLimit.toLocaleString(locale)}</td>
      <td data-label={words.since}>{dateOf(user.createdAt)}</td>
      <td>
        <div className="row">
          <Action className="quiet small" aria-label={words.keyFor(user.name)} act={newKey}>
            {words.newKey}
          </Action>
          <button
            type="button"
            className="quiet small"
            aria-label={words.editUser(user.name)}
            onClick={() => open({ kind: 'edit', user })}
          >
            {words.edit}
          </button>
          <button
            type="button"
            className="quiet small danger"
            aria-label={`${words.remove} ${user.name}`}
            onClick={() => open({ kind: 'remove', user })}
          >
            {words.remove}
          </button>
        </div>
      </td>
    </tr>
  );
};

const UserTable = ({ client, users, open }: Omit<RowProps, 'user'> & { readonly users: readonly User[] }) => (
  <table className="list">
    <TableHead columns={[words.name, words.devices, words.rate, words.since]} actions={words.actions} />
    <tbody>
      {users.map((user) => (
        <UserRow key={user.id} client={client} user={user} open={open} />
      ))}
    </tbody>
  </table>
);

interface OpenedProps {
  readonly client: Client;
  readonly what: Open;
  readonly users: Loaded<readonly User[]>;
  readonly close: () => void;
}

const Opened = ({ client, what, users, close }: OpenedProps) => {
  if (what.kind === 'key') {
    return (
      <Dialog title={words.keyFor(what.user.name)} close={close}>
        <SecretOnce secret={what.secret} />
      </Dialog>
    );
  }
  if (what.kind === 'remove') {
    return (
      <ConfirmDialog
        title={words.removeTitle(what.user.name)}
        text={words.removeText}
        action={words.remove}
        done={words.removed}
        act={async () => {
          await client.delete(`/admin/v1/users/${what.user.id}`);
          users.reload();
        }}
        close={close}
      />
    );
  }
  return <EditUser client={client} user={what.kind === 'edit' ? what.user : null} saved={users.reload} close={close} />;
};

interface Readiness {
  readonly ready: boolean;
  readonly client: ClientVersion | null;
}

const readiness = async (client: Client): Promise<Readiness> => {
  try {
    const body = await client.get<{ details?: { clientVersion?: ClientVersion } }>('/health/ready');
    return { ready: true, client: body.details?.clientVersion ?? null };
  } catch {
    return { ready: false, client: null };
  }
};

const Health = ({ ready }: Readiness) => (
  <Badge tone={ready ? 'good' : 'bad'}>{ready ? words.ready : words.notReady}</Badge>
);

export const OperatorShell = ({ client, signOut }: { readonly client: Client; readonly signOut: () => void }) => {
  const users = useLoad(
    async () => (await client.get<{ users: readonly User[] }>('/admin/v1/users')).users.toReversed(),
    'users',
  );
  const health = useLoad(() => readiness(client), 'health');
  const version = health.value?.client ?? null;
  const [what, open] = useState<Open | null>(null);
  return (
    <div className="shell">
      <header className="side">
        <a className="brand" href="#/">
          <Logo />
          <span>{texts.product}</span>
        </a>
        <nav aria-label={texts.nav.label}>
          <a href="#/users" aria-current="page">
            {icons.group}
            <span>{texts.nav.users}</span>
          </a>
        </nav>
        <div className="side-foot">
          <ThemeSwitch />
          <LanguageSwitch />
          <button type="button" className="quiet" onClick={signOut}>
            {texts.nav.signOut}
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <header className="page-head">
          <h1>{words.title}</h1>
          <button type="button" className="primary" onClick={() => open({ kind: 'create' })}>
            {words.create}
          </button>
        </header>
        <p className="lead row">
          {words.lead} {health.value !== null && <Health {...health.value} />}
        </p>
        {version !== null && <ClientVersionNote client={version} />}
        <section className="card" aria-label={words.title}>
          <Await of={users}>
            {(all) =>
              all.length === 0 ? <Empty title={words.none} /> : <UserTable client={client} users={all} open={open} />
            }
          </Await>
        </section>
        <Nodes client={client} />
        {what !== null && <Opened client={client} what={what} users={users} close={() => open(null)} />}
      </main>
    </div>
  );
};
