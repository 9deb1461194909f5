/** How people join a group: its link, and requests to join. */
import { useState } from 'react';
import { useAccount, useEvents } from '../../account/account.tsx';
import type { JoinRequest } from '../../api/group.ts';
import type { Answer } from '../../api/schemas.ts';
import { fullTime } from '../../base/format.ts';
import { useLoad } from '../../api/hooks.ts';
import { texts } from '../../base/texts.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Action, Await, CopyButton } from '../../ui/parts.tsx';
import type { GroupPart } from './members.tsx';
import { groupPath } from './use-group.ts';

const words = texts.groups;

/** Hidden until asked for, because whoever has it can join. */
const Link = ({ device, known: { group } }: GroupPart) => {
  const { client } = useAccount();
  const [link, setLink] = useState<string | null>(null);
  const [asking, ask] = useState(false);
  const path = `${groupPath(device, group.jid)}/invite`;
  return (
    <section className="stack" aria-label={words.link}>
      <h3>{words.link}</h3>
      {link === null ? (
        <div className="row">
          <Action act={async () => setLink((await client.get<Answer<'getInvite'>>(path)).invite.link)}>
            {words.showLink}
          </Action>
        </div>
      ) : (
        <p className="row secret">
          <code>{link}</code>
          <CopyButton text={link} />
          <button type="button" className="quiet" onClick={() => ask(true)}>
            {words.rotateLink}
          </button>
        </p>
      )}
      {asking && (
        <ConfirmDialog
          title={words.rotateTitle}
          text={words.rotateText}
          action={words.rotateLink}
          done={words.rotated}
          act={async () => setLink((await client.post<Answer<'rotateInvite'>>(`${path}/rotate`)).invite.link)}
          close={() => ask(false)}
        />
      )}
    </section>
  );
};

const Requests = ({ device, known: { group, reload }, nameOf }: GroupPart) => {
  const { client } = useAccount();
  const path = `${groupPath(device, group.jid)}/requests`;
  const requests = useLoad(
    async () => (await client.get<Answer<'listJoinRequests'>>(path)).requests,
    `${path} ${group.joinApproval}`,
  );
  useEvents(device.id, ({ type, data }) => {
    if (type === 'group.updated' && data.group === group.jid) requests.reload();
  });
  const decide = async ({ person }: JoinRequest, approved: boolean): Promise<void> => {
    await client.put(`${path}/${encodeURIComponent(person.number ?? person.jid)}`, { approved });
    requests.reload();
    reload();
  };
  return (
    <section className="stack" aria-label={words.requests}>
      <h3>{words.requests}</h3>
      {!group.joinApproval && <p className="hint">{words.noApproval}</p>}
      <Await of={requests}>
        {(all) =>
          all.length === 0 ? (
            <p className="hint">{words.noRequests}</p>
          ) : (
            <ul className="members">
              {all.map((request) => (
                <li key={request.person.jid}>
                  <span className="member">
                    <strong>{nameOf(request.person)}</strong>
                    {request.requestedAt !== null && <span className="dim">{fullTime(request.requestedAt)}</span>}
                  </span>
                  <Action className="small primary" act={() => decide(request, true)}>
                    {words.approve}
                  </Action>
                  <Action className="small quiet" act={() => decide(request, false)}>
                    {words.refuse}
                  </Action>
                </li>
              ))}
            </ul>
          )
        }
      </Await>
    </section>
  );
};

export const Joining = (part: GroupPart) =>
  part.known.isAdmin ? (
    <div className="stack">
      <Link {...part} />
      <Requests {...part} />
    </div>
  ) : (
    <p className="hint">{words.linkForAdmins}</p>
  );
