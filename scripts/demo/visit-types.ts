import { field } from '../../clients/tracker/index.ts'
import type { EventType } from './event-type.ts'

/** The shop releases a new version then: from there on some events have a field more. */
const release = 0.6

/** What visitors of the site do; measurements in their browsers are sent by GET. */
export const visitTypes: readonly EventType[] = [
  {
    name: 'PageView',
    weight: 300,
    way: 'json',
    payload: ({ shop, integer, chance, pick, passed }) => ({
      sessionId: shop.sessionId(),
      path: shop.path(),
      referrer: shop.orNull(0.6, () => pick(['https://search.example/?q=garten', 'https://news.example/'])),
      durationMs: integer(200, 90_000),
      isMobile: chance(0.55),
      viewport: pick([
        { width: 390, height: 844 },
        { width: 1_440, height: 900 },
        { width: 820, height: 1_180 },
      ]),
      ...(passed > release ? { release: '2.0.0' } : {}),
    }),
  },
  {
    name: 'Click',
    weight: 180,
    way: 'json',
    payload: ({ shop, integer, pick, passed }) => ({
      sessionId: shop.sessionId(),
      path: shop.path(),
      element: pick(['#buy', 'nav a.sale', 'button[name="more"]', '.teaser:first-child']),
      x: integer(0, 1_440),
      y: integer(0, 6_000),
      ...(passed > release ? { variant: pick(['A', 'B']) } : {}),
    }),
  },
  {
    name: 'Search',
    weight: 80,
    way: 'json',
    payload: ({ shop, integer, fraction, pick, some }) => ({
      sessionId: shop.sessionId(),
      query: pick(['garden hose', 'Krimi', 'książki', '古典音楽', 'a "quoted" word', 'café']),
      results: integer(0, 400),
      tookMs: fraction(0.4, 80, 3),
      filters: { brands: some(['Ackerbau', 'Bibliotheca', 'Cantus'], 2), maxPrice: shop.orNull(0.5, shop.price) },
    }),
  },
  {
    name: 'ProductView',
    weight: 120,
    way: 'json',
    payload: ({ shop, chance, pick }) => ({
      sessionId: shop.sessionId(),
      productId: shop.productId(),
      categories: pick([['books'], ['books', 'new'], ['garden', 'tools', 'sale'], []]),
      price: shop.price(),
      inStock: chance(0.9),
    }),
  },
  {
    name: 'WebVital',
    weight: 45,
    way: 'get1',
    fields: ({ shop, chance, fraction, pick }) => [
      field.i64(shop.sessionId()),
      field.text(shop.path()),
      field.text(pick(['LCP', 'INP', 'CLS', 'TTFB'])),
      field.double(fraction(0.01, 4_000, 2)),
      field.bool(chance(0.55)),
    ],
  },
  {
    name: 'Scroll',
    weight: 45,
    way: 'get2',
    fields: ({ shop, integer, fraction }) => [
      field.i64(shop.sessionId()),
      field.text(shop.path()),
      field.i32(integer(0, 12_000)),
      field.double(fraction(0, 1, 3)),
    ],
  },
]
