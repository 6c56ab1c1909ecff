// SPDX-License-Identifier: GPL-2.0-or-later
//
// Makes the tables and charts of a report from its rows, the lines of -z perflib,ndjson,-.
'use strict';

// ---- Rows, without a page. Tests call these functions. ----

/** Returns the rows of each table: name -> [row]. */
function parseRows(text) {
    const tables = {};

    for (const line of text.split('\n')) {
        if (line.trim() !== '') {
            const row = JSON.parse(line);
            (tables[row.table] = tables[row.table] || []).push(row);
        }
    }
    return tables;
}

/** Returns the digits of a number with its integer part in groups of three. "12,345" is not a number in every country. */
function grouped(digits) {
    return digits.replace(/^(-?)(\d+)(?=\.|$)/, (all, sign, whole) => sign + whole.replace(/\B(?=(\d{3})+$)/g, '\u202f'));
}

/** Returns a cell as text: whole numbers with all digits, others with six. */
function cellText(value) {
    if (value === null || value === undefined) {
        return '';
    }
    if (typeof value === 'string') {
        return /^-?\d+$/.test(value) ? grouped(value) : value;
    }
    if (Number.isInteger(value) && Math.abs(value) < 1e15) {
        return grouped(String(value));
    }
    const size = Math.abs(value);
    if (size >= 1e15 || size < 1e-4) {
        return String(Number(value.toPrecision(6)));
    }
    return grouped(String(Number(size >= 1e5 ? value.toFixed(1) : value.toPrecision(6))));
}

// What people look at first, in this order: names, or numbers of the older API's objects and counters.
const FIRST = [
    [/^Processor( Information)?$/, ['238'], /^% Processor Time$/, 6],
    [/^Memory$/, ['4'], /^% Committed Bytes In Use$/, 1406],
    [/^Memory$/, ['4'], /^Available (M|K)?Bytes$/, 24],
    [/^(Physical|Logical)Disk$/, ['234', '236'], /^% Disk Time$/, 200],
    [/^(Physical|Logical)Disk$/, ['234', '236'], /^Disk Transfers\/sec$/, 212],
    [/^Network (Interface|Adapter)$/, ['510'], /^Bytes Total\/sec$/, 388],
    [/^System$/, ['2'], /^Processor Queue Length$/, 44],
];

// Numbers of the older API's counters ID Process, ID Thread and Creating Process ID, whose names are in the server's language.
const IDENTIFIERS = [784, 804, 1410];

function isIdentifier(row) {
    return /\bID\b/.test(row.counter) || (['230', '232'].includes(row.counterset_id) && IDENTIFIERS.includes(row.counter_id));
}

function rankOf(row) {
    const at = FIRST.findIndex(([set, sets, counter, id]) => (set.test(row.counterset) || sets.includes(row.counterset_id)) &&
        (counter.test(row.counter) || (sets.includes(row.counterset_id) && row.counter_id === id)));

    return at < 0 ? FIRST.length : at;
}

/** Returns how much a counter changed, for sorting: those of the user's watch list come first. */
function changeOf(row, watched) {
    const scale = Math.max(Math.abs(row.min), Math.abs(row.max));

    return (watched.has(row.path) ? 10 : 0) + (scale > 0 ? Math.min((row.max - row.min) / scale, 2) : 0);
}

/**
 * Returns the charts of a report: curves of one counter of one server, its instances together. Identifiers are left
 * out. What people look at first comes first, then what changed most.
 */
function chartsOf(tables) {
    const charts = new Map();
    const watched = new Set([...tables['perflibv2-watch'] || [], ...tables['perfdata-watch'] || []].map(row => row.first_counter));
    let times = [];

    for (const curve of tables.curves || []) {
        const row = (tables[curve.of] || [])[curve.row];
        times = curve.t || times;
        if (!row || row.counter === null || isIdentifier(row)) {
            continue;
        }
        const key = JSON.stringify([curve.of, row.server, row.counterset_id || row.counterset, row.counter_id, row.counter, row.unit]);
        if (!charts.has(key)) {
            charts.set(key, {row, rank: rankOf(row), clock: curve.clock, change: 0, series: []});
        }
        const chart = charts.get(key), change = changeOf(row, watched);
        chart.series.push({row, change, t: times, v: curve.v, gaps: new Set(curve.gaps || [])});
        chart.change = Math.max(chart.change, change);
    }
    const list = [...charts.values()].sort((a, b) => a.rank - b.rank || b.change - a.change);
    for (const chart of list) {
        chart.series.sort((a, b) => (b.row.instance === '_Total') - (a.row.instance === '_Total') || b.change - a.change);
    }
    return list;
}

/**
 * Returns the rows of a chart for dygraphs: [time in ms since the capture's begin, a value of each series]. Where a
 * series has no value it is null, which is skipped; NaN interrupts its line.
 */
function matrixOf(series) {
    const rows = new Map();
    const put = (time, at, value) => {
        // Values of one time, as of frames with the same time: all are kept, side by side.
        while (rows.has(time) && rows.get(time)[at] !== null) {
            time += 0.001;
        }
        if (!rows.has(time)) {
            rows.set(time, new Array(series.length).fill(null));
        }
        rows.get(time)[at] = value;
    };

    series.forEach((one, at) => {
        one.v.forEach((value, i) => {
            if (one.gaps.has(i) && i > 0) {
                put((one.t[i - 1] + one.t[i]) / 2, at, NaN);
            }
            put(one.t[i], at, value);
        });
    });
    return [...rows].sort((a, b) => a[0] - b[0]).map(([time, values]) => [time, ...values]);
}

/** Returns a limited number of rows of matrixOf(): the first, the last and some between, chosen from those with the most values. */
function thinnedRows(matrix, most) {
    const counts = matrix.map(row => row.slice(1).filter(value => value !== null && !Number.isNaN(value)).length);
    const fullest = counts.reduce((a, b) => Math.max(a, b), 0);
    const rows = matrix.filter((row, at) => counts[at] === fullest);

    return rows.length <= most ? rows : Array.from({length: most}, (_, at) => rows[Math.round(at * (rows.length - 1) / (most - 1))]);
}

/** Returns the range of the vertical axis: percent from 0 to 100 at least, others from 0 unless they vary little. */
function rangeOf(series, unit) {
    const values = series.flatMap(one => one.v);
    // A long curve may have more values than a function has arguments.
    const low = values.reduce((a, b) => Math.min(a, b)), high = values.reduce((a, b) => Math.max(a, b));
    const room = (high - low || Math.abs(high) || 1) * 0.05;

    if (unit === '%') {
        return [Math.min(0, low), high > 100 ? high + room : 100];
    }
    return [low >= 0 && high - low > 0.2 * high ? 0 : low - room, high + room];
}

/** Returns missing data in groups of one reason, server and client. */
function missingGroups(rows) {
    const groups = new Map();

    for (const row of rows) {
        const key = JSON.stringify([row.server, row.client, row.reason, row.pdh, row.kind]);
        if (!groups.has(key)) {
            groups.set(key, {...row, times: 0, things: []});
        }
        const group = groups.get(key);
        group.times += row.times;
        group.first_frame = Math.min(group.first_frame, row.first_frame);
        group.things.push(row.asked_for);
    }
    return [...groups.values()];
}

/** Returns the sentence about the server's clock: the seconds that it is ahead of the capture's. */
function clockText(clock) {
    const size = Math.abs(clock);

    if (size < 1) {
        return 'the server\u2019s clock agrees';
    }
    const [amount, unit] = size < 120 ? [size, 's'] : size < 7200 ? [size / 60, 'min'] : size < 172800 ? [size / 3600, 'h'] : [size / 86400, 'days'];
    return `the server\u2019s clock is ${cellText(Number(amount.toPrecision(3)))}\u00a0${unit} ${clock > 0 ? 'ahead' : 'behind'}`;
}

/** Returns whether a text has all words of a search, regardless of case. */
function matches(text, search) {
    const folded = text.toLowerCase();

    return search.toLowerCase().split(/\s+/).every(word => folded.includes(word));
}

/** Compares two cells: numbers by size, empty ones last. */
function compareCells(a, b) {
    const empty = value => value === null || value === undefined || value === '';

    if (empty(a) || empty(b)) {
        return empty(a) - empty(b);
    }
    return isNaN(a) || isNaN(b) ? String(a).localeCompare(String(b)) : Number(a) - Number(b);
}

// ---- The page ----

/** Returns an element. Texts become text, never markup. */
function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);

    for (const [key, value] of Object.entries(attributes)) {
        if (key.startsWith('on')) {
            element.addEventListener(key.slice(2), value);
        } else {
            element.setAttribute(key, value);
        }
    }
    element.append(...children);
    return element;
}

// Columns: kind, key, heading. "flaw": a number that should be 0, left out where all are; "name": on one line; "about": a
// measured number, of which three digits are enough; "count": null is unknown.
const COLUMNS = {
    usage: [['name', 'client', 'Client'], ['name', 'server', 'Server'], ['long', 'counterset', 'Counterset or object'],
        ['n', 'polls', 'Polls'], ['about', 'interval_s', 'Interval s'], ['n', 'counters', 'Counters'], ['n', 'instances', 'Instances'],
        ['n', 'values', 'Values received'], ['n', 'bytes', 'Bytes'], ['about', 'server_ms', 'Total response ms'],
        ['about', 'share_percent', 'Share of response time %'],
        ['flaw', 'wasted_percent', 'Bytes wasted by small buffers %']],
    queries: [['name', 'client', 'Client'], ['name', 'server', 'Server'], ['long', 'value', 'Value'], ['n', 'first_frame', 'First frame'],
        ['count', 'added', 'Counters added'], ['n', 'polls', 'Polls'], ['n', 'answers', 'Answers'], ['about', 'median_s', 'Median interval s'],
        ['about', 'longest_s', 'Longest interval s'], ['about', 'response_ms', 'Response ms'], ['n', 'bytes', 'Bytes'],
        ['flaw', 'wasted_percent', 'Bytes wasted by small buffers %'], ['flaw', 'too_small', 'Buffers too small'], ['flaw', 'late', 'Late polls'], ['flaw', 'overlap', 'Polls before the answer'],
        ['', 'state', 'State'], ['long', 'handle', 'Handle']],
    sets: [['long', 'set', 'Data collector set'], ['name', 'server', 'Server'], ['n', 'calls', 'Calls'], ['flaw', 'failed', 'Failed'],
        ['name', 'last_status', 'Last status'], ['', 'last_error', 'Last error']],
    missing: [['long', 'things', 'Asked for'], ['', 'reason', 'Why it was not received'], ['', 'pdh', 'Windows tools show'],
        ['name', 'server', 'Server'], ['name', 'client', 'Client'], ['n', 'times', 'Times'], ['n', 'first_frame', 'First frame']],
    rules: [['', 'section', 'Section'], ['long', 'holds', 'Rule'], ['name', 'who', 'Who'], ['name', 'severity', 'Severity'],
        ['n', 'broken', 'Broken'], ['n', 'checked', 'Checked'], ['n', 'first_frame', 'First frame'], ['name', 'rule', 'perflibv2.rule.']],
    counters: [['long', 'path', 'Counter'], ['n', 'samples', 'Samples'], ['n', 'first', 'First'], ['n', 'last', 'Last'], ['n', 'min', 'Min'],
        ['n', 'mean', 'Mean'], ['n', 'max', 'Max'], ['', 'unit', 'Unit'], ['', 'reason', 'Why no value']],
    series: [['', 'instance', 'Instance'], ['n', 'samples', 'Samples'], ['n', 'first', 'First'], ['n', 'last', 'Last'], ['n', 'min', 'Min'],
        ['n', 'mean', 'Mean'], ['n', 'max', 'Max']],
};
const MOST_ROWS = 200, MOST_THINGS = 100, MOST_CHARTS = 12, MOST_SERIES = 8, MOST_PRINTED = 5, PLOT_HEIGHT = 192;

/** Returns the content of a cell. A text may be a number that is a name, such as object 5000: it stays as it is. */
function cellOf(value, kind) {
    if (!Array.isArray(value)) {
        if (kind === 'count' && value === null) {
            return ['unknown'];
        }
        if (kind === 'about' && typeof value === 'number') {
            return [cellText(Number(value.toPrecision(3)))];
        }
        return [kind === 'n' || kind === 'flaw' || typeof value !== 'string' ? cellText(value) : value];
    }
    if (value.length === 1) {
        return value;
    }
    const list = make('ul', {}, ...value.slice(0, MOST_THINGS).map(thing => make('li', {}, thing)));
    if (value.length > MOST_THINGS) {
        list.append(make('li', {}, `${value.length - MOST_THINGS} more`));
    }
    return [make('details', {}, make('summary', {}, `${value.length}: ${value[0]}, ...`), list)];
}

/** Returns a table of the columns that have anything to show, whose headings sort it; or null without rows. */
function tableOf(caption, rows, columns) {
    const told = columns.filter(([kind, key]) => rows.some(row => ![kind === 'count' ? undefined : null, undefined, ''].includes(row[key]) && (kind !== 'flaw' || Number(row[key]) !== 0)));
    const styles = {n: 'n', count: 'n', flaw: 'n', about: 'n', long: 'long', name: 'name'};
    const body = make('tbody');
    const head = make('tr');
    let order = null;

    if (rows.length === 0) {
        return null;
    }
    const fill = () => {
        const sorted = order ? [...rows].sort((a, b) => order.sign * compareCells(a[order.key], b[order.key])) : rows;
        body.replaceChildren(...sorted.slice(0, MOST_ROWS).map(row => make('tr', {}, ...told.map(([kind, key, name]) =>
            make('td', {'class': styles[kind] || '', 'data-head': name}, ...cellOf(row[key], kind))))));
    };
    for (const [kind, key, name] of told) {
        const th = make('th', {scope: 'col', 'class': styles[kind] === 'n' ? 'n' : ''}, make('button', {type: 'button', onclick: () => {
            order = {key, sign: order && order.key === key ? -order.sign : 1};
            head.querySelectorAll('th').forEach(other => other.removeAttribute('aria-sort'));
            th.setAttribute('aria-sort', order.sign > 0 ? 'ascending' : 'descending');
            fill();
        }}, name));
        head.append(th);
    }
    fill();
    const scroll = make('div', {'class': 'scroll', role: 'region', tabindex: '0', 'aria-label': caption},
        make('table', {'class': 'wide'}, make('caption', {}, caption), make('thead', {}, head), body));
    if (rows.length > MOST_ROWS) {
        scroll.append(make('p', {'class': 'minor'}, `${rows.length - MOST_ROWS} more rows: sort the table to see others first.`));
    }
    return scroll;
}

/** Fills a section. The style hides one that has only a heading. */
function fillSection(id, ...contents) {
    document.getElementById(id).append(...contents.filter(content => content));
}

/** Returns a line that says how many rows of tables are not on the page. */
function leftOutText(tables, names) {
    const rows = (tables.left_out || []).filter(row => names.includes(row.of));

    return rows.length === 0 ? null : make('p', {'class': 'minor'},
        `Not on this page, since it would get too large: ${rows.map(row => `${cellText(row.rows)} rows of ${row.of}`).join(', ')}.`);
}

function folded(title, ...contents) {
    const told = contents.filter(content => content);

    return told.length === 0 ? null : make('details', {}, make('summary', {}, title), ...told);
}

function colorOf(at) {
    return getComputedStyle(document.documentElement).getPropertyValue(`--c${at % 8}`).trim();
}

const DASHES = [null, [7, 3], [2, 3], [10, 3, 2, 3], [4, 2], [1, 2], [8, 2, 1, 2], [12, 4]];

function timeText(ms, begin) {
    return isNaN(begin) ? `${(ms / 1000).toFixed(3)} s` : new Date(begin + ms).toISOString().slice(11, 23);
}

/** Returns the table of some values of a chart, for paper: a line for each series. */
function printedTable(matrix, names, begin) {
    const rows = thinnedRows(matrix, MOST_PRINTED);
    const isSlow = rows.length > 1 && rows[1][0] - rows[0][0] >= 2000;
    const cells = (kind, first, rest) => make('tr', {}, make('th', {scope: kind}, first), ...rest);

    return make('table', {'class': 'printed'}, make('caption', {}, 'Some of the values, at these times (UTC)'),
        make('thead', {}, cells('col', 'Series', rows.map(row =>
            make('th', {scope: 'col', 'class': 'n'}, isSlow ? timeText(row[0], begin).slice(0, 8) : timeText(row[0], begin))))),
        make('tbody', {}, ...names.map((name, at) => cells('row', name, rows.map(row =>
            make('td', {'class': 'n'}, Number.isNaN(row[at + 1]) ? '' : cellText(row[at + 1])))))));
}

const drawn = [];   // the charts on the page

/** Draws a chart once its element is on the page. */
function plot(chart, series, plotElement, outputs, begin) {
    const matrix = matrixOf(series), unit = chart.row.unit ? ` ${chart.row.unit}` : '';
    const base = isNaN(begin) ? 0 : begin;
    const clear = () => outputs.forEach((output, at) => { output.textContent = cellText(series[at].row.last) + unit; });

    clear();
    const graph = new Dygraph(plotElement, matrix.map(([time, ...values]) => [new Date(base + time), ...values]), {
        // Names of the capture stay out of the library, which writes labels unescaped.
        labels: ['x', ...series.map((one, at) => String(at))],
        labelsUTC: true, connectSeparatedPoints: true, valueRange: rangeOf(series, chart.row.unit),
        colors: series.map((one, at) => colorOf(at)), strokeWidth: 1.75, gridLineColor: '#8884', axisLineColor: '#8888',
        pointSize: 2.5, drawPoints: matrix.length <= 30, highlightCircleSize: 4, xRangePad: 6,
        axes: {
            y: {axisLabelWidth: 64, axisLabelFormatter: value => cellText(Number(value.toPrecision(6)))},
            x: {pixelsPerLabel: 80},
        },
        series: Object.fromEntries(series.map((one, at) => [String(at), {strokePattern: DASHES[at % 8]}])),
        highlightCallback: (event, x, points) => {
            outputs.forEach((output, at) => {
                const point = points.find(one => one.name === String(at));
                output.textContent = point && point.yval !== null && !isNaN(point.yval) ? cellText(point.yval) + unit : '\u2013';
            });
            plotElement.previousElementSibling.querySelector('output').textContent = ` ${timeText(x - base, begin)}`;
        },
        unhighlightCallback: () => {
            clear();
            plotElement.previousElementSibling.querySelector('output').textContent = '';
        },
    });
    drawn.push({graph, element: plotElement, series});
}

/** Returns a chart's element, and draws it as soon as that is on the page. */
function chartElement(chart, begin, hasServers) {
    const series = chart.series.slice(0, MOST_SERIES), more = chart.series.length - series.length;
    const plotElement = make('div', {'class': 'plot', 'aria-hidden': 'true'});
    const outputs = series.map(() => make('output'));
    const names = series.map(one => one.row.instance || (one.row.aggregated_from ? 'all instances' : chart.row.counter));
    const legend = make('ul', {'class': 'legend'}, ...series.map((one, at) => {
        const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
        const line = document.createElementNS('http://www.w3.org/2000/svg', 'line');
        for (const [key, value] of Object.entries({x1: 0, x2: 28, y1: 6, y2: 6})) {
            line.setAttribute(key, value);
        }
        svg.setAttribute('aria-hidden', 'true');
        svg.append(line);
        const {min, mean, max} = series[at].row;
        return make('li', {'class': `s${at % 8}`}, svg, make('span', {'class': 'name'}, names[at]), ' ', outputs[at],
            make('span', {'class': 'printed'}, `(${cellText(min)} to ${cellText(max)}${mean === null ? '' : `, mean ${cellText(mean)}`})`));
    }));
    const values = make('details', {'class': 'values'}, make('summary', {}, 'Table of values'));

    values.addEventListener('toggle', () => {
        if (values.children.length === 1) {
            values.append(tableOf('Summary', series.map((one, at) => ({...one.row, instance: names[at]})), COLUMNS.series),
                tableOf('Values', matrixOf(series).map(([time, ...row]) => ({time: timeText(time, begin), ...row.map(v => Number.isNaN(v) ? null : v)})),
                    [['name', 'time', 'Time (UTC)'], ...names.map((name, at) => ['n', String(at), name])]));
        }
    });
    const element = make('div', {'class': 'chart'},
        make('h3', {}, `${chart.row.counter} \u2013 ${chart.row.counterset || ''}${hasServers ? ` on ${chart.row.server}` : ''}`),
        make('span', {'class': 'unit'}, chart.row.unit || 'value', make('output')), plotElement,
        make('p', {'class': 'minor'}, `Time: UTC by the capture; ${clockText(chart.clock)}`), legend, printedTable(matrixOf(series), names, begin), values);
    if (more > 0) {
        legend.append(make('li', {'class': 'minor'}, `and ${more} more: see the table of counters`));
    }
    requestAnimationFrame(() => plot(chart, series, plotElement, outputs, begin));
    return element;
}

/** Fills the section of charts: those found by the search box, and the table of counters. */
function fillCharts(tables, begin) {
    const charts = chartsOf(tables);
    const counters = ['perflibv2-counters', 'perfdata-counters'].flatMap(name => tables[name] || []);
    const hasServers = new Set(counters.map(row => row.server)).size > 1;
    const box = make('div', {'class': 'charts'}), list = make('div', {'class': 'counters'});
    const search = make('input', {type: 'search', placeholder: 'processor _total', 'aria-label': 'Search counters'});
    const show = () => {
        const found = charts.filter(chart => chart.series.some(one => matches(one.row.path, search.value.trim())));
        const rows = counters.filter(row => matches(row.path, search.value.trim()));
        drawn.splice(0).forEach(({graph}) => graph.destroy());
        box.replaceChildren(...found.slice(0, MOST_CHARTS).map(chart => chartElement(chart, begin, hasServers)));
        list.replaceChildren(make('p', {'class': 'minor'}, `${found.length} chart${found.length === 1 ? '' : 's'}` +
            `${found.length > MOST_CHARTS ? `, the first ${MOST_CHARTS} are shown` : ''}; ${cellText(rows.length)} of ${cellText(counters.length)} counters.`),
            folded('Table of counters', tableOf('Counters', rows, COLUMNS.counters)) || '');
    };
    let waiting = 0;

    if (counters.length === 0) {
        return;
    }
    search.addEventListener('input', () => {
        clearTimeout(waiting);
        waiting = setTimeout(show, 200);
    });
    fillSection('charts', make('label', {'class': 'search'}, 'Search all counters: ', search), box, list,
        leftOutText(tables, ['perflibv2-counters', 'perfdata-counters', 'curves']));
    show();
}

function fillPage() {
    // It sets styles that the page's policy forbids, and writes HTML. The page has legends of its own.
    Dygraph.PLUGINS = Dygraph.PLUGINS.filter(plugin => plugin !== Dygraph.Plugins.Legend);
    const tables = parseRows(document.getElementById('data').textContent);
    const of = (...names) => names.flatMap(name => tables[name] || []);
    const [meta] = tables.meta, begin = Date.parse(meta.first_time), rules = of('perflibv2-rules');
    const facts = document.getElementById('facts');
    const counters = of('perflibv2-counters', 'perfdata-counters');
    const sum = (rows, key) => rows.reduce((total, row) => total + row[key], 0);

    facts.textContent = `${cellText(meta.packets)} packets` +
        (meta.packets > 0 ? ` in ${cellText(Number(((Date.parse(meta.last_time) - begin) / 1000).toPrecision(3)))} s, ` +
            `${meta.first_time.slice(0, 19).replace('T', ' ')} UTC` : '') +
        `; ${cellText(sum(of('sessions'), 'calls'))} calls` +
        // It is unknown for encrypted calls.
        (counters.length > 0 ? `; ${cellText(sum(counters, 'samples'))} cooked values of ${cellText(counters.length)} counters` : '');
    document.querySelectorAll('code.filter').forEach(code => code.after(' ', make('button', {type: 'button', 'class': 'copy', onclick: event => {
        const done = () => { event.target.textContent = 'copied'; };
        // A page opened from disk has no clipboard everywhere: then the filter is selected.
        const select = () => getSelection().selectAllChildren(code);
        navigator.clipboard ? navigator.clipboard.writeText(code.textContent).then(done, select) : select();
    }}, 'copy')));
    const usage = tableOf('Countersets and objects', of('perflibv2-usage', 'perfdata-usage'), COLUMNS.usage);
    const queries = [tableOf('Queries (PerflibV2)', of('perflibv2-queries'), COLUMNS.queries),
        tableOf('Values read (performance data of the registry)', of('perfdata-queries'), COLUMNS.queries)];
    fillSection('costs', usage, ...(usage ? [folded('Queries and values read', ...queries)] : queries),
        tableOf('Data collector sets ([MS-PLA])', of('pla-sets'), COLUMNS.sets),
        leftOutText(tables, ['perflibv2-usage', 'perfdata-usage', 'perflibv2-queries', 'perfdata-queries', 'pla-sets']));
    fillSection('missing', tableOf('Asked for, but not received', missingGroups(of('perflibv2-missing', 'perfdata-missing')), COLUMNS.missing),
        leftOutText(tables, ['perflibv2-missing', 'perfdata-missing']));
    const broken = tableOf('Rules of [MS-PCQ] that were broken', rules.filter(row => row.verdict === 'broken'), COLUMNS.rules);
    fillSection('rules', broken, broken && folded('Harmless deviations (Windows has them, too)',
        tableOf('Deviations', rules.filter(row => row.verdict === 'departs'), COLUMNS.rules)),
        broken && make('p', {'class': 'minor'}, of('notes').filter(row => row.of === 'perflibv2-rules').map(row => row.text).join('; ')));
    fillCharts(tables, begin);
    document.querySelector('#making ul').append(...[
        `By the Wireshark plugin perflib ${meta.plugin} and Wireshark ${meta.wireshark}: -z perflib,report.`,
        `From ${meta.capture || 'a capture'}: ${cellText(meta.packets)} packets${meta.packets > 0 ? `, ${meta.first_time} to ${meta.last_time}` : ''}.`,
        ...(meta.filter ? [`Only packets that match the filter ${meta.filter}.`] : []),
        ...of('notes').filter(row => row.of === 'sessions').map(row => `${row.text}.`),
        'The numbers are from the -z tables, which have more columns. Long curves are simplified; minimum and maximum are always kept.',
    ].map(text => make('li', {}, text)));
    // Printed charts have the width of half a sheet. Minimum, maximum and mean stand beside the names there.
    addEventListener('beforeprint', () => drawn.forEach(({graph}) => graph.resize(320, 130)));
    addEventListener('afterprint', () => drawn.forEach(({graph, element}) => graph.resize(element.clientWidth, PLOT_HEIGHT)));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
        drawn.forEach(({graph, series}) => graph.updateOptions({colors: series.map((one, at) => colorOf(at))})));
}

if (typeof module !== 'undefined') {
    module.exports = {parseRows, grouped, cellText, chartsOf, matrixOf, thinnedRows, rangeOf, missingGroups, clockText, matches, compareCells};
} else {
    fillPage();
}
