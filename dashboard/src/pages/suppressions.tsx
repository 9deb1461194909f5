/** The suppression list: people added by hand or by a stop word. */
import { useState } from 'react';
import { May, useAccount } from '../account/account.tsx';
import type { Suppression } from '../api/types.ts';
import type { Answer } from '../api/schemas.ts';
import { dateOf, fullTime, phoneNumber } from '../base/format.ts';
import { useLoad } from '../api/hooks.ts';
import { texts } from '../base/texts.ts';
import { FieldError, useForm } from '../ui/form.ts';
import { Action, Await, Empty, ErrorText, Field, TableHead } from '../ui/parts.tsx';
import { plainNumber } from '../base/typed-number.ts';

const words = texts.suppressions;

type Page = Answer<'listSuppressions'>;

const nameOf = ({ number, lid }: Suppression): string => (number === null ? (lid ?? '') : phoneNumber(number));

const Add = ({ added }: { readonly added: () => void }) => {
  const { client } = useAccount();
  const [number, setNumber] = useState('');
  const [reason, setReason] = useState('');
  const form = useForm(['number', 'reason'], async () => {
    const digits = plainNumber(number);
    if (!/^\d{8,15}$/.test(digits)) throw new FieldError('number', words.wrongNumber);
    await client.post('/v1/suppressions', {
      number: digits,
      ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
    });
    setNumber('');
    setReason('');
    added();
  });
  return (
    <form className="card" onSubmit={form.submit} noValidate>
      <div className="fields">
        <Field
          label={words.number}
          hint={words.numberHint}
          inputMode="tel"
          error={form.errorOf('number')}
          value={number}
          onChange={(input) => setNumber(input.target.value)}
        />
        <Field
          label={words.reason}
          maxLength={500}
          error={form.errorOf('reason')}
          value={reason}
          onChange={(input) => setReason(input.target.value)}
        />
      </div>
      <ErrorText error={form.error} />
      <div className="row">
        <button type="submit" className="primary">
          {words.add}
        </button>
      </div>
    </form>
  );
};

interface TableProps {
  readonly all: readonly Suppression[];
  readonly remove: (one: Suppression) => Promise<void>;
}

const Table = ({ all, remove }: TableProps) => (
  <table className="list">
    <TableHead columns={[words.person, words.why, words.since]} actions={words.remove} />
    <tbody>
      {all.map((one) => (
        <tr key={nameOf(one)}>
          <th scope="row">{nameOf(one)}</th>
          <td>{[words.source[one.source], one.reason ?? ''].filter(Boolean).join(': ')}</td>
          <td data-label={words.since}>
            <time dateTime={one.createdAt} title={fullTime(one.createdAt)}>
              {dateOf(one.createdAt)}
            </time>
          </td>
          <td>
            <May act="manage">
              <Action
                className="quiet small"
                aria-label={words.removeOne(nameOf(one))}
                done={words.removed}
                act={() => remove(one)}
              >
                {words.remove}
              </Action>
            </May>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

export const Suppressions = () => {
  const { client } = useAccount();
  const page = useLoad(() => client.get<Page>('/v1/suppressions?limit=100'), 'once');
  const remove = async (one: Suppression): Promise<void> => {
    await client.delete(`/v1/suppressions/${encodeURIComponent(one.number ?? one.lid ?? '')}`);
    page.reload();
  };
  const more = async (cursor: string): Promise<void> => {
    const next = await client.get<Page>(`/v1/suppressions?limit=100&cursor=${encodeURIComponent(cursor)}`);
    page.change((old) =>
      old.nextCursor === cursor ? { ...next, suppressions: [...old.suppressions, ...next.suppressions] } : old,
    );
  };
  return (
    <>
      <header className="page-head">
        <div>
          <h1>{words.title}</h1>
          <p className="lead">{words.lead}</p>
        </div>
      </header>
      <May act="manage">
        <Add added={page.reload} />
      </May>
      <section className="card" aria-label={words.title}>
        <Await of={page}>
          {({ suppressions, nextCursor }) =>
            suppressions.length === 0 ? (
              <Empty title={words.none} />
            ) : (
              <>
                <Table all={suppressions} remove={remove} />
                {nextCursor !== null && (
                  <Action className="quiet" act={() => more(nextCursor)}>
                    {texts.more}
                  </Action>
                )}
              </>
            )
          }
        </Await>
      </section>
    </>
  );
};
