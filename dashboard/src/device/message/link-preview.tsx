/** The preview of a link in a message, without its picture. */
import type { LinkPreview as Link } from '../../api/message.ts';
import { ExternalLink, webUrl } from '../../ui/external-link.tsx';

export const LinkPreview = ({ link: { url, title, description } }: { readonly link: Link }) => (
  <div className="aside">
    <ExternalLink href={url}>{title ?? url}</ExternalLink>
    {description !== null && <span>{description}</span>}
    <span className="dim">{webUrl(url)?.host}</span>
  </div>
);
