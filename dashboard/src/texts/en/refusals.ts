/** Errors of the API by their `Handset-Reason`. Those that are not here are shown in the words of the service, which name the field or the cause. */

export const refusals = {
  refusals: {
    account_not_on_network: "This account isn't on WhatsApp.",
    busy: 'Too much is under way. Try again in a few seconds.',
    database_unavailable: 'The database does not answer. Try again in a few seconds.',
    device_inactive: 'This device is inactive. Activate it first.',
    device_limit_reached: 'Your subscription allows no more active devices.',
    device_moving: 'The device is moving to another node. Try again in a few seconds.',
    device_not_found: 'This device does not exist.',
    disk_full: 'The disk of the service is full. Try again later.',
    file_unknown: 'The uploaded file is gone. Retry to upload it again.',
    group_not_writable: 'You cannot write to this group: you are not a member, or only administrators may write.',
    lookup_limit_reached: 'Too many new numbers were looked up today. Try again tomorrow.',
    node_lost: 'The service was interrupted. Try again in a few seconds.',
    not_connected: 'This device is not connected.',
    not_linked: 'Scan the QR code first: this device is not linked yet.',
    number_not_on_network: "This number isn't on WhatsApp. Check the country code.",
    opted_out: 'This number is on your list of opt-outs. Remove it from the list to send again.',
    payload_too_large: 'The file is too large.',
    rate_limited: 'Too many requests. Try again in a minute.',
    request_running: 'This is still being sent.',
    request_timeout: 'WhatsApp or the connection took too long. Try again.',
    send_unknown: 'It is not known whether this was sent.',
    unavailable: 'Handset cannot do this at the moment. Try again later.',
    upload_budget_exceeded: 'You have uploaded too much within an hour. Try again later.',
  },
} as const;
