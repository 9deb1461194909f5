/** The page of the user's API keys. */
import { useState } from 'react';
import { useAccount } from '../account/account.tsx';
import { KeyLimits } from '../account/key-limits.tsx';
import type { ApiKey } from '../api/types.ts';
import type { Answer } from '../api/schemas.ts';
import { fullTime, shortTime } from '../base/format.ts';
import { useLoad } from '../api/hooks.ts';
import { remembered } from '../base/signed-in.ts';
import { texts } from '../base/texts.ts';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { useForm } from '../ui/form.ts';
import { Await, Badge, ErrorText, Field, TableHead } from '../ui/parts.tsx';
import { SecretOnce } from '../ui/secret-once.tsx';

const words = texts.keys;

const isExpired = ({ expiresAt }: ApiKey): boolean => expiresAt !== null && Date.parse(expiresAt) <= Date.now();

const State = ({ apiKey }: { readonly apiKey: ApiKey }) => {
  if (apiKey.revokedAt !== null) return <Badge tone="calm">{words.revoked}</Badge>;
  return isExpired(apiKey) ? <Badge tone="calm">{words.expired}</Badge> : <Badge tone="good">{words.valid}</Badge>;
};

interface TableProps {
  readonly keys: readonly ApiKey[];
  /** Last characters of this tab's key. */
  readonly own: number | null;
  readonly revoke: (key: ApiKey) => void;
}

const Table = ({ keys, own, revoke }: TableProps) => (
  <table className="list">
    <TableHead
      columns={[words.name, words.hint, words.status, words.lastUsed, words.expires]}
      actions={words.actions}
    />
    <tbody>
      {keys.map((key) => (
        <tr key={key.id}>
          <td>
            {key.name} {key.id === own && <span className="tag">{words.current}</span>}
            <KeyLimits {...key} />
          </td>
          <td>
            <code>…{key.hint}</code>
          </td>
          <td>
            <State apiKey={key} />
          </td>
          <td data-label={words.lastUsed}>{key.lastUsedAt === null ? words.neverUsed : shortTime(key.lastUsedAt)}</td>
          <td data-label={words.expires}>{key.expiresAt === null ? words.neverExpires : fullTime(key.expiresAt)}</td>
          <td>
            {key.revokedAt === null && (
              <button
                type="button"
                className="quiet small"
                aria-label={`${words.revoke} ${key.name}`}
                onClick={() => revoke(key)}
              >
                {words.revoke}
              </button>
            )}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

const NewKey = ({ made, close }: { readonly made: () => void; readonly close: () => void }) => {
  const { client } = useAccount();
  const [name, setName] = useState('');
  const [expires, setExpires] = useState('');
  const [secret, setSecret] = useState<string | null>(null);
  const form = useForm(['name', 'expiresAt'], async () => {
    const expiresAt = expires === '' ? {} : { expiresAt: new Date(expires).toISOString() };
    const { key } = await client.post<Answer<'createKey'>>('/v1/keys', { name: name.trim(), ...expiresAt });
    setSecret(key.secret);
    made();
  });
  return (
    <Dialog title={secret === null ? words.create : words.created} close={close}>
      {secret === null ? (
        <form onSubmit={form.submit} noValidate>
          <Field
            label={words.name}
            value={name}
            error={form.errorOf('name')}
            onChange={(change) => setName(change.target.value)}
          />
          <Field
            label={words.expires}
            hint={words.expiresHint}
            type="datetime-local"
            error={form.errorOf('expiresAt')}
            value={expires}
            onChange={(change) => setExpires(change.target.value)}
          />
          <ErrorText error={form.error} />
          <div className="row end">
            <button type="submit" className="primary">
              {words.submit}
            </button>
          </div>
        </form>
      ) : (
        <SecretOnce secret={secret} />
      )}
    </Dialog>
  );
};

export const Keys = () => {
  const { client, signOut } = useAccount();
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const keys = useLoad(async () => (await client.get<Answer<'listKeys'>>('/v1/keys')).keys.toReversed(), 'keys');
  const own = remembered()?.keyId ?? null;
  const revoke = async ({ id }: ApiKey): Promise<void> => {
    await client.delete(`/v1/keys/${id}`);
    if (id === own) signOut();
    else keys.reload();
  };
  return (
    <>
      <header className="page-head">
        <h1>{words.title}</h1>
        <button type="button" className="primary" onClick={() => setCreating(true)}>
          {words.create}
        </button>
      </header>
      <p className="lead">{words.lead}</p>
      <section className="card" aria-label={words.title}>
        <Await of={keys}>{(all) => <Table keys={all} own={own} revoke={setRevoking} />}</Await>
      </section>
      {creating && <NewKey made={keys.reload} close={() => setCreating(false)} />}
      {revoking !== null && (
        <ConfirmDialog
          title={words.revokeTitle(revoking.name)}
          text={revoking.id === own ? `${words.revokeText} ${words.revokeOwn}` : words.revokeText}
          action={words.revoke}
          done={words.revokedDone}
          act={() => revoke(revoking)}
          close={() => setRevoking(null)}
        />
      )}
    </>
  );
};
