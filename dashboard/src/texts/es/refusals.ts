/** Errors of the API by their `Handset-Reason`. */

export const refusals = {
  refusals: {
    account_not_on_network: 'Esta cuenta no está en WhatsApp.',
    busy: 'Hay demasiadas tareas en curso. Inténtalo de nuevo en unos segundos.',
    database_unavailable: 'La base de datos no responde. Inténtalo de nuevo en unos segundos.',
    device_inactive: 'Este dispositivo está inactivo. Actívalo primero.',
    device_limit_reached: 'Tu suscripción no permite más dispositivos activos.',
    device_moving: 'El dispositivo está cambiando de nodo. Inténtalo de nuevo en unos segundos.',
    device_not_found: 'Este dispositivo no existe.',
    disk_full: 'El disco del servicio está lleno. Inténtalo más tarde.',
    file_unknown: 'El archivo subido ya no está. Reintenta para subirlo de nuevo.',
    group_not_writable: 'No puedes escribir en este grupo: no eres miembro o solo escriben los administradores.',
    lookup_limit_reached: 'Hoy se consultaron demasiados números nuevos. Inténtalo mañana.',
    node_lost: 'El servicio se interrumpió. Inténtalo de nuevo en unos segundos.',
    not_connected: 'Este dispositivo no está conectado.',
    not_linked: 'Escanea primero el código QR: este dispositivo aún no está vinculado.',
    number_not_on_network: 'Este número no está en WhatsApp. Revisa el código de país.',
    opted_out: 'Este número está en tu lista de bajas. Quítalo de la lista para volver a enviar.',
    payload_too_large: 'El archivo es demasiado grande.',
    rate_limited: 'Demasiadas solicitudes. Inténtalo de nuevo en un minuto.',
    request_running: 'Esto todavía se está enviando.',
    request_timeout: 'WhatsApp o la conexión tardó demasiado. Inténtalo de nuevo.',
    send_unknown: 'No se sabe si esto se envió.',
    unavailable: 'Handset no puede hacer esto ahora. Inténtalo más tarde.',
    upload_budget_exceeded: 'Subiste demasiado en una hora. Inténtalo más tarde.',
  },
};
