/** The advertisement that the conversation began with, without its picture. */
import type { Referral as Advertisement } from '../../api/message.ts';
import { texts } from '../../base/texts.ts';
import { ExternalLink, webUrl } from '../../ui/external-link.tsx';

const words = texts.message.referral;

export const Referral = ({ referral: { title, body, sourceUrl } }: { readonly referral: Advertisement }) => (
  <div className="aside">
    <span className="part-kind">{words.title}</span>
    {title !== null && <strong>{title}</strong>}
    {body !== null && <span>{body}</span>}
    {sourceUrl !== null && webUrl(sourceUrl) !== null && <ExternalLink href={sourceUrl}>{words.open}</ExternalLink>}
  </div>
);
