import type { Operation } from './contract.ts'

/** How long a browser may remember a preflight, in seconds: a day, more than some of them allow. */
const maxAge = '86400'

/** What every page may send; those of traces are what its tools for them add (W3C Trace Context). */
const always = ['authorization', 'content-type', 'traceparent', 'tracestate']

/**
 * Headers of the answer to `OPTIONS` of a path: its methods and, where pages of any origin may call it (`x-sluice-cors`),
 * what such a page may send.
 * @param of the operations of the path
 * @param all those of the listener: a page may send to each what one of them reads
 */
export const toOptionsHeaders = (
  of: readonly Operation[],
  all: readonly Operation[],
): Readonly<Record<string, string>> => {
  const methods = of.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  const allow = [...methods, 'OPTIONS'].join(', ')
  if (!of.some(({ cors }) => cors)) return { allow }
  const headers = all.filter(({ cors }) => cors).flatMap(toSentHeaders)
  return {
    allow,
    'access-control-allow-origin': '*',
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': [...always, ...[...new Set(headers)].sort()].join(', '),
    'access-control-max-age': maxAge,
  }
}

const toSentHeaders = ({ parameters, corsHeaders }: Operation): readonly string[] => [
  ...parameters.flatMap(one => (one.in === 'header' ? [one.name.toLowerCase()] : [])),
  ...corsHeaders,
]
