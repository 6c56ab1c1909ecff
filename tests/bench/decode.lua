-- decode.lua
-- The same as packet-floor.c in Lua: a post-dissector, as that is the only way Lua gets at the stub of a call.
--
-- SPDX-License-Identifier: GPL-2.0-or-later

local QUERY_COUNTER_DATA, RESPONSE = 6, 2
local HEAD, DATA_HEADER, BLOCK_HEADER, PART = 20, 48, 16, 8
local HAS_IDS, HAS_INSTANCES = 2, 4

local lua = Proto("floorlua", "Floor of the benchmark in Lua")
local value = ProtoField.uint64("floorlua.value", "Value")
local data_size = ProtoField.uint32("floorlua.data_size", "Data size")
local size = ProtoField.uint32("floorlua.size", "Size")
lua.fields = { value, data_size, size }

local stub_data, opnum, kind = Field.new("dcerpc.stub_data"), Field.new("dcerpc.opnum"), Field.new("dcerpc.pkt_type")

local function show_values(tree, bytes, at, count)
    for _ = 1, count do
        local number = bytes:range(at, 4):le_uint()
        local length = bytes:range(at + 4, 4):le_uint()
        local item = tree:add_le(value, bytes:range(at + PART, number))

        item:add_le(data_size, bytes:range(at, 4))
        item:add_le(size, bytes:range(at + 4, 4))
        at = at + length
    end
    return at
end

local function show_block(tree, bytes, at)
    local type = bytes:range(at + 4, 4):le_uint()
    local count = 1

    at = at + BLOCK_HEADER
    if bit.band(type, HAS_IDS) ~= 0 then
        count = bytes:range(at + 4, 4):le_uint()
        at = at + bytes:range(at, 4):le_uint()
    end
    if bit.band(type, HAS_INSTANCES) == 0 then
        show_values(tree, bytes, at, count)
        return
    end
    local instances = bytes:range(at + 4, 4):le_uint()
    at = at + PART
    for _ = 1, instances do
        at = show_values(tree, bytes, at + bytes:range(at, 4):le_uint(), count)
    end
end

function lua.dissector(_, _, tree)
    local operation, pdu, stub = opnum(), kind(), stub_data()

    if operation == nil or stub == nil or operation.value ~= QUERY_COUNTER_DATA or pdu.value ~= RESPONSE then
        return
    end
    local bytes = stub.range
    if bytes:len() <= HEAD + DATA_HEADER then
        return
    end
    local sub = tree:add(lua, bytes)
    local at = HEAD + DATA_HEADER
    for _ = 1, bytes:range(HEAD + 4, 4):le_uint() do
        show_block(sub, bytes, at)
        at = at + bytes:range(at + 8, 4):le_uint()
    end
end

register_postdissector(lua)
