/**
 * On every answer of an intake route, refusals included: nothing between client and server may keep it or answer
 * itself, and a page of any origin may see that its event was taken. There is nothing else to see, and cookies do not
 * count here.
 */
export const intakeHeaders = {
  'cache-control': 'private, no-cache, no-store, no-transform, proxy-revalidate',
  'access-control-allow-origin': '*',
} as const

/** On every refusal of one: a page may read when to send again. */
export const refusalHeaders = {
  ...intakeHeaders,
  'access-control-expose-headers': 'Retry-After, RateLimit, RateLimit-Policy',
} as const
