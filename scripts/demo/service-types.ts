import { field } from '../../clients/tracker/index.ts'
import type { EventType } from './event-type.ts'

/** Events of the shop's services, by Smile, and of its machines, by Scribe. */
export const serviceTypes: readonly EventType[] = [
  {
    name: 'StockLevel',
    weight: 25,
    way: 'smile',
    payload: ({ shop, integer, pick }) => ({
      productId: shop.productId(),
      warehouse: pick(['Graz', 'Lyon', 'Poznań']),
      // Sold before it arrived.
      level: integer(-5, 900),
      nextDelivery: shop.orNull(0.6, () => `2027-0${integer(1, 9)}-1${integer(0, 9)}`),
    }),
  },
  {
    name: 'ApiCall',
    weight: 150,
    way: 'smile',
    payload: ({ shop, fraction, integer, pick }) => ({
      host: shop.host(),
      service: shop.service(),
      route: shop.route(),
      status: pick([200, 200, 200, 201, 204, 304, 404]),
      tookMs: fraction(0.2, 300, 3),
      bytes: integer(0, 200_000),
    }),
  },
  {
    name: 'ApiError',
    weight: 6,
    way: 'smile',
    payload: ({ shop, chance, integer, pick }) => ({
      host: shop.host(),
      service: shop.service(),
      route: shop.route(),
      status: pick([500, 502, 503, 504]),
      message: pick(['connect ECONNREFUSED', 'deadline exceeded', 'Cannot read properties of undefined']),
      stack: Array.from({ length: integer(1, 3) }, () => ({ file: `${shop.service()}.js`, line: integer(1, 900) })),
      canRetry: chance(0.7),
    }),
  },
  {
    name: 'HostLoad',
    weight: 30,
    way: 'scribe',
    fields: ({ shop, fraction, integer, id }) => [
      field.text(shop.host()),
      field.double(fraction(0, 8, 2)),
      field.i64(id(5, 1_000_000)),
      field.i32(integer(100, 60_000)),
    ],
  },
]
