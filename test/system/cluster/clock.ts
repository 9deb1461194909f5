/** PostgreSQL's clock, as the chaos sets it: its machine has one clock, so a function of the same name stands before that of the server. */
import { Client } from 'pg';

const run = async (databaseUrl: string, statement: string): Promise<readonly { readonly value?: unknown }[]> => {
  const client = new Client(databaseUrl);
  await client.connect();
  try {
    return (await client.query<{ readonly value?: unknown }>(statement)).rows;
  } finally {
    await client.end();
  }
};

/** The `value` of the only row. */
export const numberIn = async (databaseUrl: string, query: string): Promise<number> =>
  Number((await run(databaseUrl, query))[0]?.value);

/** Holds for connections that are made from now on. */
export const makeClock = (databaseUrl: string): Promise<unknown> =>
  run(
    databaseUrl,
    `create table clock_step (step interval not null);
     insert into clock_step values ('0');
     create function clock_timestamp() returns timestamptz language sql volatile
       as 'select pg_catalog.clock_timestamp() + step from public.clock_step';
     alter database "${new URL(databaseUrl).pathname.slice(1)}" set search_path = public, pg_catalog`,
  );

/** So far from the time that it is. */
export const setClock = (databaseUrl: string, seconds: number): Promise<unknown> =>
  run(databaseUrl, `update clock_step set step = make_interval(secs => ${seconds})`);
