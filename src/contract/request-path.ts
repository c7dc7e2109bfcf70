import { getPath } from 'hono/utils/url'

/**
 * The path of a request without path parameters (RFC 3986 §3.3): `/1;jsessionid=x` is `/1`, as old servers had it. No
 * operation has a parameter there.
 */
export const toRequestPath = (request: Request): string => {
  const path = getPath(request)
  return path.includes(';') ? path.replace(/;[^/]*/g, '') : path
}
