/** Why a device is not connected, in the words of the service: those that it says, so that they can be translated. */
export const reasons = {
  reasons: {
    pairing: 'Waiting for you to scan the QR code, or to enter the pairing code, on the phone under Linked devices.',
    never_paired: 'The device is not linked to an account: restart it to get a QR code.',
    pairing_expired:
      'The QR code was not scanned in time: restart the device to get a new one. If the phone said "Couldn\'t link device" each time, the network may refuse this version of the client: see docs/linking.md.',
    pairing_failed: 'The network did not complete the pairing: restart the device to try again.',
    passkey_expired:
      'Nobody confirmed the passkey in time: restart the device to get a new QR code, and confirm within ten minutes.',
    logged_out: 'The device was disconnected: restart it to link an account again.',
    removed_by_phone:
      'The phone removed this device from its linked devices, or the network has ended the link: restart it to link it again.',
    locked:
      'The network has locked or banned this account, or it is on another phone now: open the app on the phone and do what it asks for, then restart the device to link it again.',
    banned:
      'The network has banned this account: open the app on the phone and ask for a review there; when it works again, restart the device to link it again.',
    replaced:
      'Another client took over with the same authentication: stop that one, then restart the device to connect it here.',
    client_outdated:
      'The network refuses this version of the client: update the service or set HANDSET_CLIENT_VERSION, then restart the device.',
    inactive:
      'The device is inactive: activate it to connect it. The network removes a linked device that does not connect for 30 days.',
    shutdown: 'The service is shutting down: the device reconnects when it is back.',
  },
} as const;
