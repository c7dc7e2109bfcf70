import { defaultEdgeThreads } from './default-threads.ts'
import { host, integer, list, live, port, text, toText } from './setting.ts'

/** Where the server listens: collector and gateway, the gateway alone, the management. */
export const listenerRows = {
  'server.host': host('127.0.0.1', { sentence: 'Address of the listener for collector and gateway.' }),
  'server.port': port(8080, { sentence: 'Its port; 0 takes a free one, printed at start.' }),
  'server.threads': integer(defaultEdgeThreads, {
    sentence: 'Threads that take the connections of this listener and of Scribe.',
    defaultText: 'half the cores, at least 1, at most 4',
    min: 1,
    max: 16,
  }),
  'server.drain-delay-seconds': integer(0, {
    sentence:
      'How long the server keeps serving at a stop after readiness is off, so that load balancers switch over: longer than their check interval.',
    unit: 'seconds',
    max: 3_600,
  }),
  'gateway.host': host(undefined, {
    sentence: 'Address of a listener of its own for the gateway, so that a public collector does not expose it.',
    defaultText: '`127.0.0.1` with `gateway.port`',
  }),
  'gateway.port': port(undefined, { sentence: 'Its port; with it, `server.port` serves the collector only.' }),
  'server.tls.cert': text(undefined, {
    sentence: 'PEM file with the certificate chain: HTTPS for collector and gateway.',
  }),
  'server.tls.key': text(undefined, { sentence: 'PEM file with its private key.' }),
  'admin.tls.cert': text(undefined, {
    sentence: 'PEM file with the certificate chain: HTTPS for the management listener.',
  }),
  'admin.tls.key': text(undefined, { sentence: 'PEM file with its private key.' }),
  'tls.hsts-seconds': integer(0, {
    sentence:
      'How long browsers must use HTTPS only for the host name of a listener with TLS, whatever the port; 0 leaves it to them.',
    unit: 'seconds',
    max: 63_072_000,
  }),
  'server.allowed-hosts': live(
    list(toText, [], {
      sentence: 'Names that the `Host` header of a gateway request may hold, against DNS rebinding; `*` allows all.',
      defaultText: 'loopback names and the bound host',
    }),
  ),
  'admin.allowed-hosts': live(
    list(toText, [], {
      sentence: 'Names that the `Host` header of a request to the management listener may hold; `*` allows all.',
      defaultText: 'loopback names and the bound host',
    }),
  ),
  'admin.allowed-origins': live(
    list(toText, [], {
      sentence: 'Origins of other consoles that may call the management listener.',
    }),
  ),
  'admin.host': host('127.0.0.1', { sentence: 'Address of the management listener.' }),
  'admin.port': port(8081, { sentence: 'Its port.' }),
  'admin.vendor': text('sluice', { sentence: 'The `<vendor>` in the names of beans.' }),
} as const
