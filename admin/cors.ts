/** How long a browser may remember a preflight, in seconds. */
const preflightMaxAge = '600'

/** Headers that let a console of an allowed origin read the answer; none for others. */
export const toCorsHeaders = (
  origin: string | undefined,
  allowedOrigins: readonly string[],
): Readonly<Record<string, string>> =>
  origin !== undefined && allowedOrigins.includes(origin.toLowerCase())
    ? { 'access-control-allow-origin': origin, vary: 'Origin' }
    : {}

/**
 * Answers `OPTIONS`, a browser's preflight in particular. Tokens are sent in a header: cookies do not cross origins.
 */
export const toPreflight = (allow: string, cors: Readonly<Record<string, string>>): Response =>
  new Response(null, {
    status: 204,
    headers: {
      allow,
      ...cors,
      ...('access-control-allow-origin' in cors
        ? {
            'access-control-allow-methods': allow,
            'access-control-allow-headers': 'authorization, content-type',
            'access-control-max-age': preflightMaxAge,
          }
        : {}),
    },
  })
