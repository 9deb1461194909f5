/** The operator's page: users, their limits and keys, and the health of the service. */
import { useState } from 'react';
import type { Client } from '../api/client.ts';
import type { ClientVersion, User } from '../api/types.ts';
import { shortTime } from '../base/format.ts';
import { type Loaded, useLoad } from '../api/hooks.ts';
import { locale, texts } from '../base/texts.ts';
import { ClientVersionNote } from '../ui/client-version.tsx';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { icons, Logo } from '../ui/icons.tsx';
import { LanguageSwitch } from '../ui/language.tsx';
import { Action, Await, Badge, Empty, TableHead } from '../ui/parts.tsx';
import { SecretOnce } from '../ui/secret-once.tsx';
import { ThemeSwitch } from '../ui/theme.tsx';
import { EditUser } from './edit-user.tsx';
import { Nodes } from './nodes.tsx';

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
      <td data-label={words.since}>{shortTime(user.createdAt)}</td>
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
  const users = useLoad(async () => (await client.get<{ users: readonly User[] }>('/admin/v1/users')).users, 'users');
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
