-- How many pages, and how quick, by the hour?
SELECT hour, count(*) AS pages, count(DISTINCT visit) AS visits, round(quantile_cont(ms, 0.95)) AS p95_ms
FROM PageView GROUP BY hour ORDER BY hour;

-- What is sold, and where? Lists are lists, and structs are structs.
SELECT country, item.sku, count(*) AS sold, sum(item.price) AS turnover
FROM (SELECT country, unnest(items) AS item FROM "Order") GROUP BY ALL ORDER BY turnover DESC LIMIT 5;

-- Who looks, and who buys? Two event types are two tables.
SELECT p.country, count(DISTINCT p.visit) AS visits, count(DISTINCT o.visit) AS buyers,
  round(100 * buyers / visits, 1) AS percent
FROM PageView p LEFT JOIN "Order" o USING (visit) GROUP BY ALL ORDER BY percent DESC;
