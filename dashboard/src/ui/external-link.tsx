/** Links of unknown origin. */
import type { ReactNode } from 'react';

/** The URL if a browser may open it: never a script or a file. */
export const webUrl = (text: string): URL | null => {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
};

/** A link to another site, or only its text where it leads to none. */
export const ExternalLink = ({ href, children }: { readonly href: string; readonly children: ReactNode }) => {
  const url = webUrl(href);
  if (url === null) return <>{children}</>;
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
};
