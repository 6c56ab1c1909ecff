/* look.c
 * Style and script of the report page
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "stats/report/report.h"

#include "compat.h"

#include "stats/report/html.h"

static const char *const style[] = {
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--minor:#57606a;--line:#d8dee4;--card:#f6f8fa;",
    "--bad:#b3261e;--badbg:#fdecea;--warn:#7a4d00;--warnbg:#fff4d6;--good:#0b6b2e;--goodbg:#e3f6e8;",
    "--hint:#0b57a4;--hintbg:#e6f0fb;--curve:#0b57a4;--fill:#0b57a422}",
    "@media(prefers-color-scheme:dark){:root{--bg:#101418;--fg:#e6e9ec;--minor:#9aa6b2;--line:#2f3840;--card:#182028;",
    "--bad:#ff9d94;--badbg:#3a1715;--warn:#f2c661;--warnbg:#33270b;--good:#7fdc9b;--goodbg:#12301c;",
    "--hint:#8ec5ff;--hintbg:#10283f;--curve:#6db3ff;--fill:#6db3ff22}}",
    "*{box-sizing:border-box}",
    "body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.5 system-ui,-apple-system,'Segoe UI',sans-serif}",
    "header,main,footer{max-width:76rem;margin:0 auto;padding:0 1.25rem}",
    "header{padding-top:1.5rem}",
    "h1{font-size:1.75rem;line-height:1.25;margin:.25rem 0 .75rem;text-wrap:balance}",
    "h2{font-size:1.2rem;margin:2.25rem 0 .75rem;padding-top:.75rem;border-top:1px solid var(--line)}",
    "h3{font-size:1rem;margin:1.25rem 0 .5rem}",
    "h1,h2,h3,p,li,dd,b,summary,.w{overflow-wrap:anywhere}",
    "td.w{min-width:min(13rem,17vw)}td,th{overflow-wrap:break-word}",
    "td.t{white-space:nowrap}",
    ".minor,.whom,th,dt,caption{color:var(--minor);font-size:.875rem}",
    ".minor{margin:.25rem 0}.whom{font-weight:600}",
    ".verdict{border-left:.5rem solid var(--tone);background:var(--tonebg);padding:1rem 1.25rem;border-radius:.5rem}",
    ".verdict h1{color:var(--tone);margin-top:0}",
    ".bad{--tone:var(--bad);--tonebg:var(--badbg)}.warn{--tone:var(--warn);--tonebg:var(--warnbg)}",
    ".good{--tone:var(--good);--tonebg:var(--goodbg)}.hint{--tone:var(--hint);--tonebg:var(--hintbg)}",
    ".todo{list-style:none;margin:0;padding:0}",
    ".todo li{padding:.6rem 0 .6rem 1.75rem;position:relative;border-top:1px solid var(--line)}",
    ".todo li:first-child{border-top:0}",
    ".todo li::before{content:'';position:absolute;left:.25rem;top:1.05rem;width:.75rem;height:.75rem;",
    "border-radius:50%;background:var(--tone)}",
    ".todo b{color:var(--tone)}",
    ".badge{display:inline-block;padding:0 .6rem;border-radius:1rem;font-size:.875rem;font-weight:600;",
    "color:var(--tone);background:var(--tonebg);white-space:nowrap}",
    ".facts{display:flex;flex-wrap:wrap;gap:.5rem 1.75rem;margin:1rem 0 0;padding:0}",
    ".facts div{min-width:4rem}.facts dt{margin:0}",
    ".facts dd{margin:0;font-weight:600;font-variant-numeric:tabular-nums}",
    ".pair{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.75rem 1rem;",
    "margin:.75rem 0}",
    ".pair h3{margin:0 0 .25rem;display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:baseline}",
    ".try{padding:.5rem 0;border-top:1px solid var(--line)}.try p{margin:.15rem 0}",
    ".pair h3+.try{border-top:0}",
    ".steps{display:flex;flex-wrap:wrap;list-style:none;margin:.35rem 0;padding:0;font-size:.8125rem;gap:.25rem}",
    ".steps li{padding:.05rem .6rem;border-radius:1rem;border:1px solid var(--line);color:var(--minor)}",
    ".steps .done{background:var(--goodbg);color:var(--good);border-color:transparent}",
    ".steps .stop{background:var(--badbg);color:var(--bad);border-color:transparent;font-weight:600}",
    ".steps .seen{background:var(--hintbg);color:var(--hint);border-color:transparent}",
    ".scroll{overflow-x:auto}.scroll:focus{outline:2px solid var(--curve)}",
    "table{border-collapse:collapse;width:100%;font-size:.9375rem}",
    "caption{text-align:left;padding:.25rem 0;font-weight:600}",
    "th{text-align:left;font-weight:600;border-bottom:2px solid var(--line);vertical-align:bottom}",
    "td{border-bottom:1px solid var(--line);vertical-align:top}",
    "th,td{padding:.35rem .75rem .35rem 0}th:last-child,td:last-child{padding-right:0}",
    "td,b,h3,output,.wire{unicode-bidi:isolate}",
    ".n{text-align:right;font-variant-numeric:tabular-nums}td.n{white-space:nowrap}",
    ".curves{display:grid;grid-template-columns:repeat(auto-fill,minmax(17rem,1fr));gap:0 1.5rem;",
    "align-items:end}",
    /* Subgrid: the drawings of a row are aligned, however long their names are. */
    "figure{margin:0;min-width:0;display:grid;grid-row:span 3;grid-template-rows:subgrid;row-gap:0;",
    "margin-bottom:.75rem}",
    "figcaption{display:flex;justify-content:space-between;gap:.75rem;font-size:.875rem;align-items:end}",
    "figcaption b{font-weight:600}",
    "figcaption output{font-variant-numeric:tabular-nums;white-space:nowrap;color:var(--curve);font-weight:600}",
    "svg{display:block;width:100%;height:4rem;background:var(--card);border:1px solid var(--line);",
    "border-radius:.25rem}",
    "svg:focus{outline:2px solid var(--curve)}",
    "path{fill:none;stroke:var(--curve);stroke-width:1.75;vector-effect:non-scaling-stroke;stroke-linecap:round;",
    "stroke-linejoin:round}",
    ".dot{stroke-width:5}",
    "line{stroke:var(--minor);stroke-width:1;vector-effect:non-scaling-stroke}",
    "summary{cursor:pointer;color:var(--hint);padding:.35rem 0}",
    "code{font:.875em ui-monospace,Consolas,'DejaVu Sans Mono',monospace;overflow-wrap:anywhere}",
    "footer{padding-bottom:2rem}",
    "@media(max-width:44rem){header,main,footer{padding:0 .9rem}h1{font-size:1.35rem}",
    "table.wide,table.wide tbody,table.wide tr,table.wide td,table.wide caption{display:block}",
    "table.wide thead{display:none}",
    "table.wide tr{border-bottom:1px solid var(--line);padding:.5rem 0}",
    "table.wide td{min-width:0;border:0;padding:.05rem 0;text-align:left;white-space:normal;overflow-wrap:anywhere}",
    "table.wide td:empty{display:none}",
    "table.wide td::before{content:attr(data-h) ': ';color:var(--minor)}}",
    "@media print{body{font-size:11px}.pair,figure,tr,li{break-inside:avoid}h2,h3{break-after:avoid}",
    "details::details-content{content-visibility:visible}}",
};

/* Shows the value under the pointer, or chosen by the arrow keys, in place of the latest one. */
static const char *const script[] = {
    "'use strict';(()=>{let t=[];",
    "const two=n=>String(n).padStart(2,'0');",
    "const begin=Date.parse(document.body.dataset.begin);",
    "const grouped=v=>v.replace(/^(-?)([0-9]+)(?=[.]|$)/,(all,sign,digits)=>",
    "sign+digits.replace(/\\B(?=([0-9]{3})+$)/g,'\\u202f'));",
    "const clock=s=>{if(isNaN(begin))return s+' s';const d=new Date(begin+1000*s);",
    "return two(d.getUTCHours())+':'+two(d.getUTCMinutes())+':'+two(d.getUTCSeconds())+'.'+",
    "String(d.getUTCMilliseconds()).padStart(3,'0')};",
    "for(const svg of document.querySelectorAll('svg[data-v]')){",
    "if(svg.dataset.t!==undefined)t=svg.dataset.t.split(' ').map(Number);",
    "const times=t,values=svg.dataset.v.split(' '),unit=svg.dataset.u;",
    "const out=svg.parentNode.querySelector('output'),last=out.textContent;",
    "const end=Number(document.body.dataset.end)||1;let at=values.length-1,line=null;",
    "const show=i=>{at=Math.max(0,Math.min(values.length-1,i));",
    "out.textContent=clock(times[at])+'  '+grouped(values[at])+unit;",
    "if(!line){line=document.createElementNS('http://www.w3.org/2000/svg','line');line.setAttribute('y1','0');",
    "line.setAttribute('y2','64');svg.append(line)}",
    "const x=3+294*times[at]/end;line.setAttribute('x1',x);line.setAttribute('x2',x)};",
    "const hide=()=>{out.textContent=last;if(line){line.remove();line=null}};",
    "svg.addEventListener('pointermove',e=>{const r=svg.getBoundingClientRect();",
    "const s=((e.clientX-r.left)/r.width*300-3)/294*end;let low=0,high=times.length-1;",
    "while(low<high){const m=(low+high)>>1;if(times[m]<s)low=m+1;else high=m}",
    "if(low>0&&s-times[low-1]<times[low]-s)low--;show(low)});",
    "svg.addEventListener('pointerleave',hide);svg.addEventListener('blur',hide);",
    "svg.addEventListener('keydown',e=>{const d={ArrowLeft:-1,ArrowRight:1}[e.key];",
    "if(d){e.preventDefault();show(at+(line?d:0))}})}",
    "})();",
};

static void
join(GString *out, const char *const *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        g_string_append(out, lines[i]);
        g_string_append_c(out, '\n');
    }
}

/* Appends the hash by which the page's content security policy allows a style or script. */
static void
append_hash(GString *page, const char *text)
{
    GChecksum *checksum = g_checksum_new(G_CHECKSUM_SHA256);
    guint8 digest[32];
    gsize length = sizeof digest;
    char *encoded;

    g_checksum_update(checksum, (const guchar *)text, -1);
    g_checksum_get_digest(checksum, digest, &length);
    encoded = g_base64_encode(digest, length);
    g_string_append_printf(page, "'sha256-%s'", encoded);
    g_free(encoded);
    g_checksum_free(checksum);
}

void
look_begin(GString *page, const char *title)
{
    GString *styles = g_string_new(NULL), *scripts = g_string_new(NULL);

    join(styles, style, array_length(style));
    join(scripts, script, array_length(script));
    g_string_append(page,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action "
        "'none'; style-src ");
    append_hash(page, styles->str);
    g_string_append(page, "; script-src ");
    append_hash(page, scripts->str);
    g_string_append(page,
        "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"referrer\" content=\"no-referrer\">\n");
    html_printf(page, "<title>%s</title>\n", title);
    g_string_append_printf(page, "<style>%s</style>\n</head>\n", styles->str);
    g_string_free(styles, TRUE);
    g_string_free(scripts, TRUE);
}

void
look_end(GString *page)
{
    g_string_append(page, "<script>");
    join(page, script, array_length(script));
    g_string_append(page, "</script>\n</body>\n</html>\n");
}
