import type { Draw } from './draw.ts'

/** What the events of the shop speak of: the same customers, products and orders in all of them. */
export const createShop = (draw: Draw) => {
  const { pick, integer, fraction, chance } = draw
  return {
    sessionId: () => draw.id(1, 2_000),
    customerId: () => draw.id(2, 900),
    cartId: () => draw.id(3, 700),
    orderId: () => draw.id(4, 400),
    productId: () => integer(10_001, 10_240),
    path: () => pick(paths),
    country: () => pick(['AT', 'CH', 'DE', 'FR', 'IT', 'PL']),
    currency: () => pick(['EUR', 'EUR', 'EUR', 'CHF', 'PLN']),
    /** Prices are fractions, most of them. */
    price: () => (chance(0.1) ? integer(5, 90) : fraction(1, 250, 2)),
    quantity: () => (chance(0.8) ? 1 : integer(2, 6)),
    orNull: <T>(probability: number, value: () => T): T | null => (chance(probability) ? null : value()),
    host: () => `web-${integer(1, 6)}`,
    service: () => pick(['catalog', 'cart', 'checkout', 'search', 'accounts']),
    route: () => pick(['GET /products/{id}', 'POST /cart', 'GET /search', 'POST /orders', 'GET /account']),
  }
}

export type Shop = ReturnType<typeof createShop>

const paths = ['/', '/books', '/books/new', '/music', '/garden', '/garden/tools', '/sale', '/help', '/über-uns']
