/** Statuses and their viewers as callers see them (docs/spec/statuses.md). */
import { iso, isoOrNull, type MediaUrl, mediaView, personView } from '../../domain/event-view.ts';
import { statusDataOf, type StatusRecord, type StatusViewer } from '../../domain/messages/statuses.ts';

export const statusView = (mediaUrl: MediaUrl, deviceId: number, record: StatusRecord) => {
  const { media, timestamp, ...shown } = statusDataOf(record);
  return {
    ...shown,
    timestamp: iso(timestamp),
    media: mediaView(media, (id) => mediaUrl(deviceId, id, 'status'), shown.id),
    own: record.message.direction === 'out',
    recipients: record.recipients,
    expiresAt: iso(record.expiresAt),
    deletedAt: isoOrNull(record.deletedAt),
  };
};

export const viewerView = ({ person, deliveredAt, viewedAt, reaction }: StatusViewer) => ({
  person: personView(person),
  deliveredAt: isoOrNull(deliveredAt),
  viewedAt: isoOrNull(viewedAt),
  reaction,
});
