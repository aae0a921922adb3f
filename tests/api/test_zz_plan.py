"""EXPLAIN ANALYZE at 5,000 items."""
import time
from datetime import date
from sqlalchemy import text, event
from comicsdb.library import collection, collection_reads
from comicsdb.catalog import Catalog
from tests.factories import Make
from tests.api.conftest import Client, basic, PASSWORD
T=date(2026,3,4)
def test_plan(testapp, api, make, reader, connection, session):
    s=make.session
    pub=make.publisher().id
    s.execute(text("INSERT INTO series (slug,name,sort_name,volume,year_began,series_type_id,publisher_id) SELECT 'zz'||n,'Series '||n,'Series '||(n*7919%2000),1,2000,13,:p FROM generate_series(1,2000) n"),{"p":pub})
    s.execute(text("INSERT INTO issue (slug,series_id,number,cover_date) SELECT 'zz'||s.id||'-'||n, s.id, n::text, date '2000-01-01'+n*30 FROM series s, generate_series(1,40) n WHERE s.slug LIKE 'zz%'"))
    s.commit()
    ids=s.scalars(text("SELECT id FROM issue WHERE slug LIKE 'zz%' ORDER BY md5(id::text) LIMIT 20000")).all()
    for start in (0,3):
        u=make.user().id if start else reader.id
        t=time.perf_counter(); n=collection.add_many(s,u,[(i,{"is_read":i%2==0,"purchase_price":__import__('decimal').Decimal(i%50),"purchase_currency":"USD" if i%3 else "EUR","rating":(i%5+1) if start==3 else None}) for i in ids[start*5000:(start+1)*5000]],today=T); s.commit()
        print("add_many",len(n),round(time.perf_counter()-t,2))
    s.execute(text("ANALYZE"))
    rows=[r for r in s.scalars(text("SELECT id FROM collection_item WHERE user_id=:u"),{"u":reader.id})]
    t=time.perf_counter(); print("mark", collection.mark_read(s,reader.id,rows), round(time.perf_counter()-t,2)); s.commit()
    sid=s.scalar(text("SELECT i.series_id FROM collection_item c JOIN issue i ON i.id=c.issue_id WHERE c.user_id=:u LIMIT 1"),{"u":reader.id})
    import psycopg
    from comicsdb.light import Line
    found=[]
    orig=psycopg.Cursor.execute
    def rec(cur,query,params=None,**k):
        if isinstance(query,str) and query.lstrip().startswith(("SELECT","WITH")) and "collection_item" in query:
            t=time.perf_counter(); r=orig(cur,query,params,**k); found.append((time.perf_counter()-t,query,params)); return r
        return orig(cur,query,params,**k)
    for path in ("?page=1","?page=last","stats/","missing_series/","missing_series/?page=last","missing_issues/%d/"%sid):
        for _ in range(2):
            found.clear(); psycopg.Cursor.execute=rec
            t=time.perf_counter(); api.get("/api/collection/"+path)
            total=time.perf_counter()-t
            psycopg.Cursor.execute=orig
        print(path, "request %.1f ms; sql"%(total*1000), ["%.1f"%(d*1000) for d,_,_ in found])
        if path in ("?page=1","missing_series/","?page=last","?purchase_store=x"):
            d,q,p=max(found,key=lambda f: f[0])
            print("\n".join(r[0] for r in connection.connection.driver_connection.execute("EXPLAIN (ANALYZE, BUFFERS) "+q,p)))
    for f in (lambda: collection_reads.incomplete_series(s,reader.id,limit=50), lambda: collection_reads.missing_issues(s,reader.id,sid)):
        t=time.perf_counter(); f(); print("site %.1f"%((time.perf_counter()-t)*1000))
